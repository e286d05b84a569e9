// The state of one launch: ranks, their pipes, deadlines. Private to the built-in launcher;
// local_launcher.cpp starts the ranks, local_run.cpp has the rest.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/launch/child_process.h"
#include "core/launch/local_launcher.h"
#include "core/launch/mpirun.h"
#include "core/launch/resources.h"
#include "core/launch/signal_scope.h"
#include "core/launch/world.h"

namespace scalemark::launching {

// Holds the ranks' error files.
class ErrorFolder : public TemporaryFolder {
 public:
  using TemporaryFolder::TemporaryFolder;
  std::filesystem::path file_of(int rank) const {
    return path() / ("rank-" + std::to_string(rank) + ".json");
  }
};

struct Listener {
  Descriptor socket;
  std::uint16_t port = 0;
};

struct Rank {
  RankOutcome outcome;
  ChildProcess child;
  LineRelay out, err;
  bool ended = false;
  bool killed = false;  // we killed it
  std::chrono::steady_clock::time_point ended_at;
  std::optional<Mpirun::Started> of_mpirun;  // such a rank is no child of ours
};

class LocalRun {
 public:
  using Clock = std::chrono::steady_clock;

  LocalRun(const LaunchSpec& spec, SignalScope& signals);
  ~LocalRun() { kill_all(); }
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  void start();
  void relay_until_all_ended();
  LaunchResult close();

 private:
  RankSpec spec_of(int local_rank, const Listener& listener) const;
  void start_rank(int local_rank, const Listener& listener);
  void start_through_mpirun(const Listener& listener);
  Rank& add_rank(int number, ChildProcess child);
  LineRelay relay_of(int rank, bool is_stdout) const;

  void poll_once();
  bool read_from(Rank& rank, bool is_stdout);
  void print(const Rank& rank, bool is_stdout, const std::string& text);
  void tell(const std::string& lines);
  void close_pipe(Rank& rank, bool is_stdout);

  void act_on_signals();
  void interrupt(int signal);
  void pause();
  void reap();
  std::optional<int> status_of(Rank& rank);
  void note_end(Rank& rank, int status);
  void notify_peers_of(const RankOutcome& outcome);
  void act_on_deadlines();
  void terminate_the_rest(Clock::time_point now);
  void kill_stopped_ranks(Clock::time_point now);
  void kill_rank(Rank& rank);
  void kill_the_rest(Clock::time_point now);
  void signal_all(int signal, bool whole_group);
  void kill_all();
  bool all_ended() const;
  bool all_read();
  int milliseconds_to_next_deadline() const;
  void flush(std::optional<Clock::time_point> until);

  const LaunchSpec& spec_;
  bool terminal_;
  Sink stdout_, own_stderr_;
  Sink& stderr_;  // stdout_ where both are one file: what is written first stands first, and whole
  ErrorFolder errors_;
  SignalScope& signals_;
  std::string secret_;  // part of every key prefix, see Rendezvous
  std::vector<Rank> ranks_;
  std::optional<Mpirun> mpirun_;  // empty: the ranks are children of ours
  int interrupt_signal_ = 0;
  std::int64_t interrupted_ns_ = 0;
  std::vector<int> passed_on_;
  Clock::time_point first_interrupt_;
  std::optional<Clock::time_point> terminate_at_, kill_at_;
  std::optional<Clock::time_point> failed_at_;  // when the first rank failed
};

}  // namespace scalemark::launching
