#include "core/launch/local_launcher.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/launch/local_run.h"
#include "core/launch/meeting_point.h"
#include "core/launch/resources.h"

namespace scalemark::launching {
namespace {

bool are_one_file(int a, int b) {
  struct stat first {
  }, second{};
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

namespace fs = std::filesystem;

// Binds port 0 and hands over the socket itself, so that no other process can take the port before
// it is used.
Listener listen_on_loopback() {
  Listener listener{Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int fd = listener.socket.get();
  if (fd < 0 || bind(fd, generic, length) != 0 || listen(fd, SOMAXCONN) != 0 ||
      getsockname(fd, generic, &length) != 0) {
    throw system_error(std::string("cannot listen on 127.0.0.1: ") + std::strerror(errno));
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

LocalRun::LocalRun(const LaunchSpec& spec, SignalScope& signals)
    : spec_(spec),
      terminal_(isatty(spec.stderr_fd) == 1),
      stdout_(spec.stdout_fd, isatty(spec.stdout_fd) == 1),
      own_stderr_(spec.stderr_fd, terminal_),
      stderr_(are_one_file(spec.stdout_fd, spec.stderr_fd) ? stdout_ : own_stderr_),
      errors_(temporary_place(spec.plan.mpirun.empty() ? 0 : kLongestSocketPath).path),
      signals_(signals),
      secret_(spec.plan.nnodes == 1 && spec.plan.rendezvous.secret.empty()
                  ? random_secret()  // no other launch can name a key of this one
                  : spec.plan.rendezvous.secret) {}

RankSpec LocalRun::spec_of(int local_rank, const Listener& listener) const {
  const NodePlan& plan = spec_.plan;
  RankSpec rank;
  rank.world.rank = first_rank_of(plan) + local_rank;
  rank.world.world_size = world_size_of(plan);
  rank.world.local_rank = local_rank;
  rank.world.local_world_size = plan.nproc_per_node;
  rank.world.node = plan.node_rank;
  rank.world.nodes = plan.nnodes;
  rank.world.launcher = plan.launcher;
  rank.world.detected_from = plan.detected_from;
  rank.world.detected_from["rank"] = "the built-in launcher";
  rank.rendezvous = plan.rendezvous;
  if (listener.socket.open()) {
    rank.rendezvous.kind = Rendezvous::Kind::kTcp;
    rank.rendezvous.host = "127.0.0.1";
    rank.rendezvous.port = listener.port;
    if (rank.world.rank == 0) rank.rendezvous.listen_fd = listener.socket.get();
    if (rank.rendezvous.run_id == "none") rank.rendezvous.run_id = hashed_run_id(rank.rendezvous);
  }
  rank.rendezvous.secret = secret_;
  rank.error_file = errors_.file_of(rank.world.rank).string();
  rank.terminal = terminal_ && rank.world.rank == 0 && !spec_.verbose;
  rank.output = terminal_of(spec_.stdout_fd);
  rank.ignored_signals = ignored_signals();
  return rank;
}

LineRelay LocalRun::relay_of(int rank, bool is_stdout) const {
  std::string prefix = "[";
  prefix.append(std::to_string(rank)).append("] ");
  if (rank != 0) return {prefix, LineRelay::Mode::kLines};
  if (is_stdout) return {"", LineRelay::Mode::kLines};
  if (spec_.verbose) return {prefix, LineRelay::Mode::kLines};
  return {"", terminal_ && !spec_.form ? LineRelay::Mode::kRaw : LineRelay::Mode::kLines};
}

void LocalRun::start_rank(int local_rank, const Listener& listener) {
  const RankSpec rank = spec_of(local_rank, listener);
  ChildSpec child{spec_.program, spec_.arguments, without_launcher_variables(spec_.environment),
                  rank.rendezvous.listen_fd};
  child.environment[std::string(kRankSpecVariable)] = to_json(rank);
  add_rank(rank.world.rank, start_child(child));
}

Rank& LocalRun::add_rank(int number, ChildProcess child) {
  ranks_.push_back({{}, std::move(child), relay_of(number, true), relay_of(number, false)});
  ranks_.back().outcome.rank = number;
  ranks_.back().outcome.pid = ranks_.back().child.pid;
  return ranks_.back();
}

// Mpirun starts its processes in any order; each says which rank it is.
void LocalRun::start_through_mpirun(const Listener& listener) {
  const NodePlan& plan = spec_.plan;
  mpirun_.emplace(plan.mpi_library, plan.mpirun, plan.nproc_per_node,
                  fs::canonical(spec_.program).string(),
                  std::vector(spec_.arguments.begin() + 1, spec_.arguments.end()),
                  spec_.environment, errors_.path());
  for (int i = 0; i < plan.nproc_per_node; ++i) {
    OutputPipes pipes = make_output_pipes();
    int number = 0;
    auto started = mpirun_->next([&](int rank) {
      number = rank;
      const RankSpec its = spec_of(rank, listener);
      std::vector<int> passed{pipes.out_of_child.get(), pipes.err_of_child.get()};
      if (its.rendezvous.listen_fd) passed.push_back(*its.rendezvous.listen_fd);
      return Mpirun::Place{.spec = to_json(its), .passed = std::move(passed)};
    });
    Rank& rank = add_rank(number, {started.pid, std::move(pipes.out), std::move(pipes.err)});
    rank.of_mpirun = std::move(started);
  }
  std::ranges::sort(ranks_, {}, [](const Rank& rank) { return rank.outcome.rank; });
}

void LocalRun::start() {
  require_descriptors_of_launcher(spec_.plan.nproc_per_node);
  require_descriptors_of_rank(first_rank_of(spec_.plan), world_size_of(spec_.plan),
                              spec_.plan.rendezvous, spec_.meshes);
  Listener listener;
  if (spec_.plan.rendezvous.kind == Rendezvous::Kind::kNone) listener = listen_on_loopback();
  ranks_.reserve(static_cast<std::size_t>(spec_.plan.nproc_per_node));
  if (!spec_.plan.mpirun.empty()) return start_through_mpirun(listener);
  for (int i = 0; i < spec_.plan.nproc_per_node; ++i) start_rank(i, listener);
}

LaunchResult launch_local(const LaunchSpec& spec) {
  SignalScope signals;
  return launch_local(spec, signals);
}

LaunchResult launch_local(const LaunchSpec& spec, SignalScope& signals) {
  LocalRun run(spec, signals);
  run.start();
  run.relay_until_all_ended();
  return run.close();
}

}  // namespace scalemark::launching
