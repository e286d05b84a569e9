#include "core/launching/rank_of_mpirun.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/launching/descriptor_message.h"
#include "core/launching/rank_spec.h"

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

// In the rank: a process group of its own, the launcher's pipes, its place among the ranks.
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
  std::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the rank's end from us
  const pid_t parent = ::getpid();
  const pid_t rank = ::fork();
  if (rank < 0 && errno == EAGAIN) throw thread_shortage();
  if (rank < 0) throw system_error(std::string("cannot fork: ") + std::strerror(errno));
  if (rank == 0) {
    launcher.reset();
    return become(std::move(*place), parent);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and with it the rank: no orphans
  place.reset();                       // the launcher sees the end of the rank's output
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  send_message(launcher.get(), std::to_string(rank));
  const int status = status_of(rank);
  send_message(launcher.get(), std::to_string(status));
  end_with_the_others(launcher.get());
}

}  // namespace scalemark::launching
