#include "core/launch/local_run.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/threads.h"
#include "core/machine/stacks.h"
#include "core/machine/text_file.h"

namespace scalemark::launching {
namespace {

// How long the pipes of an ended rank may stay open, held by a process that it left behind.
constexpr std::chrono::milliseconds kDrain{500};
// A rank that is stopped cannot end by itself, and hears no SIGTERM.
constexpr std::chrono::seconds kStoppedGrace{1};
constexpr std::chrono::seconds kDeliberate{1};  // between two Ctrl-C that mean "now"

// SIGTERM, or another signal that asks to end, where this process and so its ranks ignore SIGTERM.
int asks_to_end() {
  for (const int signal : {SIGTERM, SIGUSR1, SIGINT}) {
    if (!is_ignored(signal)) return signal;
  }
  return SIGKILL;
}

}  // namespace

void LocalRun::relay_until_all_ended() {
  while (!all_ended() || !all_read()) {
    poll_once();
    act_on_signals();
    reap();
    act_on_deadlines();
  }
}

void LocalRun::poll_once() {
  struct Source {
    Rank* rank;
    bool is_stdout;
  };
  std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
  for (Sink* sink : {&stdout_, &own_stderr_}) {
    polled.push_back({sink->waiting() ? sink->fd() : -1, POLLOUT, 0});
  }
  std::vector<Source> sources;
  const bool stalled = stdout_.full() || stderr_.full();
  for (auto& rank : ranks_) {
    for (const bool is_stdout : {true, false}) {
      const auto& pipe = is_stdout ? rank.child.out : rank.child.err;
      if (!pipe.open() || stalled) continue;
      polled.push_back({pipe.get(), POLLIN, 0});
      sources.push_back({&rank, is_stdout});
    }
  }
  for (const auto& rank : ranks_) {  // reap() reads these: they show that a rank has ended
    if (rank.of_mpirun && !rank.ended) polled.push_back({rank.of_mpirun->status.get(), POLLIN, 0});
  }
  if (mpirun_) mpirun_->listen();
  if (poll(polled.data(), polled.size(), milliseconds_to_next_deadline()) <= 0) return;
  if (polled[1].revents != 0) stdout_.write_some();
  if (polled[2].revents != 0) own_stderr_.write_some();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (polled[i + 3].revents == 0) continue;
    const auto& [rank, is_stdout] = sources[i];
    // The rank's stdout from before this stderr has arrived: it is printed first.
    while (!is_stdout && rank->child.out.open() && !stdout_.full() && read_from(*rank, true)) {
    }
    read_from(*rank, is_stdout);
  }
}

// Returns whether there was something to read.
bool LocalRun::read_from(Rank& rank, bool is_stdout) {
  auto& pipe = is_stdout ? rank.child.out : rank.child.err;
  auto& relay = is_stdout ? rank.out : rank.err;
  char buffer[65536];
  const auto count = read(pipe.get(), buffer, sizeof buffer);
  if (count > 0) {
    print(rank, is_stdout, relay.feed({buffer, static_cast<std::size_t>(count)}));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close_pipe(rank, is_stdout);
  }
  return count > 0;
}

void LocalRun::close_pipe(Rank& rank, bool is_stdout) {
  auto& pipe = is_stdout ? rank.child.out : rank.child.err;
  if (!pipe.open()) return;
  pipe.reset();
  print(rank, is_stdout, (is_stdout ? rank.out : rank.err).finish());
}

void LocalRun::print(const Rank& rank, bool is_stdout, const std::string& text) {
  const bool first = rank.outcome.rank == 0;
  if (first && is_stdout) return stdout_.add_raw(text);
  if (first && terminal_ && !spec_.verbose && !spec_.form) return stderr_.add_raw(text);
  tell(text);
}

void LocalRun::tell(const std::string& lines) {
  if (!spec_.form) return stderr_.add_lines(lines);
  stderr_.add_raw(spec_.form(lines));
}

void LocalRun::act_on_signals() {
  for (const int signal : signals_.take()) {
    switch (signal) {
      case SIGCHLD:
        break;
      case SIGTSTP:
        pause();
        break;
      case SIGUSR2:  // the ranks tell how they stand, and go on
        signal_all(SIGUSR2, false);
        break;
      case SIGCONT:  // after a stop that we did not see
        signal_all(SIGCONT, true);
        break;
      default:
        interrupt(signal == SIGHUP ? SIGTERM : signal);
    }
  }
}

// Ctrl-Z: the terminal reaches only us, and ranks that kept running would occupy the cores.
void LocalRun::pause() {
  signal_all(SIGSTOP, true);
  signals_.stop_self();
  signal_all(SIGCONT, true);
}

void LocalRun::interrupt(int signal) {
  const auto now = Clock::now();
  if (std::find(passed_on_.begin(), passed_on_.end(), signal) != passed_on_.end()) {
    if (signal == SIGINT && now - first_interrupt_ >= kDeliberate) kill_at_ = now;
    return;
  }
  passed_on_.push_back(signal);
  if (signal == SIGINT) first_interrupt_ = now;
  if (interrupt_signal_ == 0) {
    interrupt_signal_ = signal;
    interrupted_ns_ = monotonic_now_ns();
    kill_at_ = now + spec_.grace;
  }
  signal_all(is_ignored(signal) ? asks_to_end() : signal, false);
}

void LocalRun::reap() {
  for (auto& rank : ranks_) {
    if (rank.ended) continue;
    if (const auto status = status_of(rank)) note_end(rank, *status);
  }
}

// Returns the rank's waitpid() status, once it has ended; its leftover children are killed.
std::optional<int> LocalRun::status_of(Rank& rank) {
  if (rank.of_mpirun) {
    const auto status = Mpirun::receive_status(*rank.of_mpirun);
    if (status) kill(-rank.child.pid, SIGKILL);
    return status;
  }
  siginfo_t info{};
  const auto id = static_cast<id_t>(rank.child.pid);
  const int failed = waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT);
  if (failed != 0 || info.si_pid != rank.child.pid) return std::nullopt;
  kill(-rank.child.pid, SIGKILL);  // not reaped yet, so the pid is still the rank's
  int status = 0;
  waitpid(rank.child.pid, &status, 0);
  return status;
}

void LocalRun::note_end(Rank& rank, int status) {
  rank.ended = true;
  rank.ended_at = Clock::now();
  RankOutcome& outcome = rank.outcome;
  outcome.ended_ns = monotonic_now_ns();
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  const auto error_file = errors_.file_of(outcome.rank);
  outcome.error = read_error_file(error_file);
  const auto foreign = foreign_end(outcome, has_verdict_mark(error_file));
  if (foreign) {
    outcome.error = RankError{.record = *foreign, .monotonic_ns = outcome.ended_ns};
    tell(format_error_line(*foreign) + "\n");
  }
  notify_peers_of(outcome);
  const bool verdict = outcome.signal == 0 && outcome.exit_code <= 2 && !foreign;
  if (!verdict && !failed_at_) failed_at_ = rank.ended_at;
  if (!verdict && !terminate_at_ && !kill_at_) terminate_at_ = rank.ended_at + spec_.failure_grace;
}

// A rank that a signal (not ours) killed, or that a library ended, could not say why it ended.
void LocalRun::notify_peers_of(const RankOutcome& outcome) {
  const bool silent = outcome.signal != 0 && !outcome.error;
  if ((!silent && !outcome.error) || outcome.ended_by_launcher || interrupt_signal_ != 0) return;
  try {
    const auto record = silent ? killed_record(outcome) : outcome.error->record;
    write_error_file(errors_.file_of(outcome.rank), record);  // keeps a file that the rank wrote
  } catch (const Error&) {
    // Without the file the others end as after any lost peer, and our last line names the rank.
  }
}

void LocalRun::act_on_deadlines() {
  const auto now = Clock::now();
  const bool out_of_time = kill_at_ && now >= *kill_at_;
  for (auto& rank : ranks_) {
    if (!rank.ended || now < rank.ended_at + kDrain) continue;
    if ((stdout_.full() || stderr_.full()) && !out_of_time) continue;  // the reader is slow
    close_pipe(rank, true);
    close_pipe(rank, false);
  }
  if (all_ended()) return;
  if (failed_at_ && interrupt_signal_ == 0) kill_stopped_ranks(now);
  if (terminate_at_ && now >= *terminate_at_) terminate_the_rest(now);
  if (out_of_time) kill_the_rest(now);
}

void LocalRun::terminate_the_rest(Clock::time_point now) {
  for (auto& rank : ranks_) {
    if (!rank.ended) rank.outcome.ended_by_launcher = true;
  }
  signal_all(asks_to_end(), false);
  terminate_at_.reset();
  if (!kill_at_) kill_at_ = now + spec_.grace;
}

// Once a rank has failed, one that is stopped would only hold up the end.
void LocalRun::kill_stopped_ranks(Clock::time_point now) {
  if (now < *failed_at_ + std::min<std::chrono::milliseconds>(kStoppedGrace, spec_.failure_grace))
    return;
  for (auto& rank : ranks_) {
    if (rank.ended || rank.killed) continue;
    if (monitoring::standing_of(rank.child.pid).state == ProcessState::kStopped) kill_rank(rank);
  }
}

void LocalRun::kill_rank(Rank& rank) {
  rank.outcome.stood = monitoring::standing_of(rank.child.pid);
  kill(-rank.child.pid, SIGKILL);
  rank.killed = rank.outcome.ended_by_launcher = true;
  tell("scalemark: rank " + std::to_string(rank.outcome.rank) + " (pid " +
       std::to_string(rank.child.pid) +
       (rank.outcome.stood->state == ProcessState::kStopped
            ? ") is stopped by a signal from outside: killed\n"
            : ") did not end in time: killed\n"));
}

void LocalRun::kill_the_rest(Clock::time_point now) {
  for (auto& rank : ranks_) {
    if (rank.ended) continue;
    if (!rank.killed) {
      kill_rank(rank);
      continue;
    }
    // It is stuck in the kernel: nothing more can be done.
    tell("scalemark: rank " + std::to_string(rank.outcome.rank) + " (pid " +
         std::to_string(rank.child.pid) + ") did not end in time: it cannot be killed\n");
    note_end(rank, SIGKILL);
  }
  kill_at_ = now + spec_.grace;
}

void LocalRun::signal_all(int signal, bool whole_group) {
  for (const auto& rank : ranks_) {
    if (!rank.ended) kill(whole_group ? -rank.child.pid : rank.child.pid, signal);
  }
}

void LocalRun::kill_all() {
  signal_all(SIGKILL, true);
  for (auto& rank : ranks_) {
    if (!rank.ended && !rank.of_mpirun) waitpid(rank.child.pid, nullptr, 0);
    rank.ended = true;
  }
}

bool LocalRun::all_ended() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ended; });
}

bool LocalRun::all_read() {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) {
    return rank.child.out.open() || rank.child.err.open();
  });
}

int LocalRun::milliseconds_to_next_deadline() const {
  constexpr std::chrono::milliseconds kLongest{1000};
  std::chrono::milliseconds wait = kLongest;
  const auto now = Clock::now();
  const auto consider = [&](Clock::time_point at) {
    wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(at - now));
  };
  if (terminate_at_) consider(*terminate_at_);
  if (kill_at_) consider(*kill_at_);
  for (const auto& rank : ranks_) {
    if (rank.ended && (rank.child.out.open() || rank.child.err.open())) {
      consider(rank.ended_at + kDrain);
    }
  }
  return std::max(0, static_cast<int>(wait.count()));
}

// A reader that does not read (a pager) may take its time, as it could with any other program; only
// an interrupted run does not wait for it.
void LocalRun::flush(std::optional<Clock::time_point> until) {
  while (stdout_.waiting() || own_stderr_.waiting()) {
    pollfd polled[] = {{signals_.fd(), POLLIN, 0},
                       {stdout_.waiting() ? stdout_.fd() : -1, POLLOUT, 0},
                       {own_stderr_.waiting() ? own_stderr_.fd() : -1, POLLOUT, 0}};
    poll(polled, 3, 1000);
    if (polled[1].revents != 0) stdout_.write_some();
    if (polled[2].revents != 0) own_stderr_.write_some();
    if (const auto signal = signals_.take_interrupt()) {
      if (interrupt_signal_ == 0) interrupt_signal_ = *signal;
      until = Clock::now();
    }
    if (until && Clock::now() >= *until) return;
  }
}

LaunchResult LocalRun::close() {
  for (auto& rank : ranks_) rank.of_mpirun.reset();  // lets mpirun's processes go
  if (mpirun_) mpirun_->wait(spec_.grace);
  LaunchResult result;
  for (auto& rank : ranks_) {
    const auto& lines =
        rank.err.last_lines().empty() ? rank.out.last_lines() : rank.err.last_lines();
    rank.outcome.last_lines.assign(lines.begin(), lines.end());
    rank.outcome.hang_note =
        monitoring::read_text(hang_note_of(errors_.file_of(rank.outcome.rank)));
    result.outcomes.push_back(rank.outcome);
  }
  result.exit_code = run_exit_code(result.outcomes, interrupt_signal_, interrupted_ns_);
  const auto cause = find_cause(result.outcomes);
  const bool explained = cause && was_explained(result.outcomes, *cause);
  if (cause && !explained && cause->exit_code == result.exit_code && interrupt_signal_ == 0) {
    for (const auto& outcome : result.outcomes) {
      if (outcome.rank == cause->rank) tell(describe_cause(outcome, *cause));
    }
  }
  std::optional<Clock::time_point> until;
  if (interrupt_signal_ != 0) until = Clock::now() + spec_.grace;
  flush(until);
  result.stdout_error = stdout_.failure();
  if (interrupt_signal_ == 0) interrupt_signal_ = signals_.take_interrupt().value_or(0);
  if (interrupt_signal_ != 0) result.interrupted_by = interrupt_signal_;
  return result;
}

}  // namespace scalemark::launching
