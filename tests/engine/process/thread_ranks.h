// Ranks of a task loop as threads of one process: a store in memory, a simulated clock, and a
// test that decides the order of events.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "engine/process/task_loop.h"
#include "tests/engine/distributed/simulated_clock.h"
#include "tests/engine/process/memory_store.h"

namespace scalemark::testing {

// How a rank ended.
struct RankEnd {
  std::optional<ExitCode> code;
  std::optional<distributed::Stop> stop;  // it was asked to
  ErrorRecord error;                      // code empty: no error ended it
  bool killed = false;
  SimulatedClock::time_point at;
};

class ThreadRanks {
 public:
  explicit ThreadRanks(int size);
  ~ThreadRanks();

  // Runs `body` on every rank, and returns when all have ended. What it throws is posted to the
  // others, as a process does. Rank 0 serves the store: when it has ended, it is gone.
  using Body = std::function<ExitCode(process::RankLink& ranks)>;
  void run(const Body& body);

  // Called before each request to the store, in the thread of the rank that makes it.
  void before_request(std::function<void(const Request&)> hook) { hook_ = std::move(hook); }

  // May be called from any thread, at any time. A killed rank's requests reach nobody any more.
  void kill(int rank);
  void send_signal(int rank, int signal);
  bool is_killed(int rank) const;

  SimulatedClock& clock() { return clock_; }
  const RankEnd& end(int rank) const { return ends_[static_cast<std::size_t>(rank)]; }
  // The phase that it has entered last.
  std::string phase(int rank) const;

 private:
  class Rank;
  void run_rank(int rank, const Body& body);
  void refuse_dead(int rank);

  SimulatedClock clock_;
  std::shared_ptr<MemoryStoreServer> server_;
  std::function<void(const Request&)> hook_;
  mutable std::mutex mutex_;
  std::vector<bool> dead_;
  std::vector<std::optional<int>> signals_;
  std::vector<std::string> phases_;
  std::vector<RankEnd> ends_;
};

}  // namespace scalemark::testing
