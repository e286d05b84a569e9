#include "core/launch/mpirun.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/launch/descriptor_message.h"
#include "core/launch/variables.h"
#include "core/launch/world.h"

namespace scalemark::launching {
namespace {

const char* rank_variable() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* text = std::getenv(name); text != nullptr && *text != '\0') return text;
  }
  throw system_error("mpirun has not numbered its ranks", "OMPI_COMM_WORLD_RANK or PMI_RANK");
}

void take_output(DescriptorMessage& place) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready = nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 &&
                     ::dup2(place.descriptors.at(0).get(), STDOUT_FILENO) >= 0 &&
                     ::dup2(place.descriptors.at(1).get(), STDERR_FILENO) >= 0;
  if (nothing > STDERR_FILENO) ::close(nothing);
  if (!ready) throw system_error(std::string("cannot redirect: ") + std::strerror(errno));
}

// Makes this process the rank: in a process group of its own, with the launcher's pipes and its
// place among the ranks.
void become(DescriptorMessage place, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(127);
  take_output(place);
  RankSpec spec = parse_rank_spec(place.bytes);
  for (const int signal : spec.ignored_signals) std::signal(signal, SIG_IGN);
  if (place.descriptors.size() > 2) spec.rendezvous.listen_fd = place.descriptors[2].release();
  ::unsetenv(std::string(kLauncherSocketVariable).c_str());
  ::setenv(std::string(kRankSpecVariable).c_str(), to_json(spec).c_str(), 1);
}

int status_of(pid_t rank) {
  int status = 0;
  while (::waitpid(rank, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

// A mpirun that sees one of its processes end kills the others, which may be writing their report:
// so each stays until the launcher, which knows how the ranks ended, lets go of all.
[[noreturn]] void end_with_the_others(int launcher) {
  receive_message(launcher);
  std::_Exit(0);
}

}  // namespace

void become_rank_of_mpirun() {
  const char* path = std::getenv(std::string(kLauncherSocketVariable).c_str());
  if (path == nullptr || *path == '\0') return;
  Descriptor launcher = connect_to(path);
  send_message(launcher.get(), rank_variable());
  auto place = receive_message(launcher.get());
  if (!place || place->descriptors.size() < 2) {
    throw system_error("the launcher has ended before its ranks");
  }
  std::signal(SIGCHLD, SIG_DFL);  // ignored, SIGCHLD would keep the rank's exit status from us
  const pid_t parent = ::getpid();
  const pid_t rank = ::fork();
  if (rank < 0 && errno == EAGAIN) throw thread_shortage();
  if (rank < 0) throw system_error(std::string("cannot fork: ") + std::strerror(errno));
  if (rank == 0) {
    launcher.reset();
    return become(std::move(*place), parent);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the rank then ends, too: no orphans
  place.reset();                       // the launcher sees the end of the rank's output
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  send_message(launcher.get(), std::to_string(rank));
  const int status = status_of(rank);
  send_message(launcher.get(), std::to_string(status));
  end_with_the_others(launcher.get());
}

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartLimit{60};
constexpr milliseconds kPollPeriod{50};

// The environment of mpirun: without a launcher's variables, with what its user sets for Open MPI.
Environment with_socket(const Environment& given, const std::filesystem::path& socket) {
  Environment environment = without_launcher_variables(given);
  const bool under_open_mpi = given.contains("OMPI_COMM_WORLD_SIZE");
  for (const auto& [name, value] : given) {
    if (name.starts_with("OMPI_MCA_") && !under_open_mpi) environment[name] = value;
  }
  environment[std::string(kLauncherSocketVariable)] = socket.string();
  // Mpirun refuses root unless both variables are set.
  environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  return environment;
}

std::vector<std::string> with_name(std::string name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::move(name));
  return arguments;
}

void drain(const Descriptor& pipe, LineRelay& relay) {
  char buffer[4096];
  while (pipe.open()) {
    const auto count = ::read(pipe.get(), buffer, sizeof buffer);
    if (count <= 0) return;
    relay.feed({buffer, static_cast<std::size_t>(count)});
  }
}

// Open MPI's ranks share memory through files of 4 MiB each and more.
constexpr rlim_t kLeastFileBytes = rlim_t{16} << 20;

Descriptor listen_if_files_fit(const std::filesystem::path& socket) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kLeastFileBytes) {
    throw io_error(
        "File too large: `ulimit -f` gives a file " + std::to_string(limit.rlim_cur) + " bytes",
        "16 MiB, through which the ranks of MPI share memory",
        "raise the limit, or use --backend gloo");
  }
  return listen_at(socket);
}

// A library that is refused a thread says anything but that, so the limits are named here.
Error ended(const std::string& what, const std::string& expected, const std::string& hint) {
  const std::string limits = small_thread_limits();
  if (limits.empty()) return system_error(what, expected, hint);
  return system_error(what + "; " + limits, "threads for mpirun and its ranks", "raise the limit");
}

}  // namespace

std::vector<std::string> mpirun_arguments(const std::string& library, int ranks,
                                          const std::string& program,
                                          const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  if (library == "openmpi") {
    all = {"--oversubscribe", "--bind-to", "none"};
  } else {
    all = {"-launcher", "fork", "-disable-auto-cleanup"};
  }
  all.insert(all.end(), {"-n", std::to_string(ranks), program});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Mpirun::Mpirun(const std::string& library, const std::string& mpirun, int ranks,
               const std::string& program, const std::vector<std::string>& arguments,
               const Environment& environment, const std::filesystem::path& folder)
    : socket_(listen_if_files_fit(folder / "launcher")),
      child_(start_child(
          {.program = mpirun,
           .arguments = with_name(mpirun, mpirun_arguments(library, ranks, program, arguments)),
           .environment = with_socket(environment, folder / "launcher"),
           .inherited_fd = std::nullopt})),
      out_("", LineRelay::Mode::kLines),
      err_("", LineRelay::Mode::kLines) {}

Mpirun::~Mpirun() { kill(); }

Descriptor Mpirun::accept_one() {
  const auto until = Clock::now() + kStartLimit;
  while (true) {
    pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, static_cast<int>(kPollPeriod.count())) > 0) {
      return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
    listen();
    const bool late = Clock::now() >= until;
    if (!late && !has_ended()) continue;
    listen();
    throw ended(late ? "mpirun has started no rank for a minute" : "mpirun ended: " + said(),
                "it starts the ranks of --backend mpi",
                "try `mpirun -n 2 hostname`, or use --backend gloo");
  }
}

Mpirun::Started Mpirun::next(const std::function<Place(int rank)>& place) {
  Descriptor status = accept_one();
  const auto gone = [] { return ended("a process that mpirun has started is gone", {}, {}); };
  const auto number = receive_message(status.get());
  const auto rank = number ? parse_whole(number->bytes) : std::nullopt;
  if (!rank) throw gone();
  const Place its = place(*rank);
  if (!send_message(status.get(), its.spec, its.passed)) throw gone();
  const auto told = receive_message(status.get());
  const auto pid = told ? parse_whole(told->bytes) : std::nullopt;
  if (!pid) throw gone();
  ::fcntl(status.get(), F_SETFL, O_NONBLOCK);
  return {.pid = *pid, .status = std::move(status)};
}

std::optional<int> Mpirun::receive_status(const Started& rank) {
  bool nothing_yet = false;
  const auto message = receive_message(rank.status.get(), &nothing_yet);
  if (nothing_yet) return std::nullopt;
  const auto status = message ? parse_whole(message->bytes) : std::nullopt;
  return status.value_or(SIGKILL);
}

void Mpirun::listen() {
  drain(child_.out, out_);
  drain(child_.err, err_);
}

std::string Mpirun::said() const {
  std::string text;
  for (const LineRelay* relay : {&out_, &err_}) {
    for (const std::string& line : relay->last_lines()) text += (text.empty() ? "" : " / ") + line;
  }
  return text.empty() ? "it said nothing" : text;
}

bool Mpirun::has_ended() {
  if (!ended_) ended_ = ::waitpid(child_.pid, nullptr, WNOHANG) == child_.pid;
  return ended_;
}

void Mpirun::wait(milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (!has_ended() && Clock::now() < until) {
    listen();
    ::poll(nullptr, 0, 5);
  }
  kill();
}

void Mpirun::kill() {
  if (has_ended()) return;
  ::kill(-child_.pid, SIGKILL);
  ::waitpid(child_.pid, nullptr, 0);
  ended_ = true;
}

}  // namespace scalemark::launching
