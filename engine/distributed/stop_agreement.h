// How a signal that asks the program to end is noted, and how the ranks then stop before the same
// step, without a collective in the step. Knows no device and no report.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/error.h"
#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// While it exists, SIGTERM, SIGINT and SIGUSR1 are noted instead of ending the process; those that
// were ignored stay ignored. Afterwards the old handlers are restored. Further signals change
// nothing: a launcher forwards what the terminal has already sent. `backstop_s` seconds after the
// first signal the process ends with its exit code whatever its threads do (SIGALRM).
class InterruptHandlers {
 public:
  explicit InterruptHandlers(std::optional<unsigned> backstop_s = std::nullopt);
  ~InterruptHandlers();
  InterruptHandlers(const InterruptHandlers&) = delete;
  InterruptHandlers& operator=(const InterruptHandlers&) = delete;
};

// Returns the first signal noted: SIGTERM, SIGINT or SIGUSR1.
std::optional<int> received_signal();

// 130 for SIGINT, 75 for the others.
ExitCode exit_code_of_signal(int signal);

// --- The protocol makes no assumption about time:
//  1. A rank that got a signal writes a request into the store. Each rank's side thread looks for
//     one every 100 ms, with more than 100 ranks less often: they share one store.
//  2. On seeing the request a rank freezes: its main thread begins no further step until the
//     agreement is known. Then the side thread promises, in the store, P = the steps it has begun.
//  3. Rank 0's side thread waits for every promise and writes S = the largest.
//  4. Every rank runs exactly S steps. None has begun more, because none passes its own P before it
//     knows S >= P; and ranks below S can run on, because nobody waits for the main threads.
// Frozen main threads cannot deadlock the promises: those come from the side threads. The host of
// the store must outlive the others' last poll: ErrorStore::leave() before exiting. A rank that
// ends the loop by itself promises all its steps. When a promise is missing (peer or store lost),
// the ranks stop where they are, unagreed. A request stays valid for later loops.

// Write and read the request of an agreement where there is no loop. Throw what the store throws.
void request_stop(c10d::Store& store, int signal);
std::optional<int> requested_stop(c10d::Store& store);

// Returns the time between two polls when `ranks` ranks poll: `least`, or 1 ms for each rank, which
// limits the store to 1,000 requests a second; at most 1 s, or a stop would take too long.
std::chrono::milliseconds poll_period(std::chrono::milliseconds least, int ranks);

struct Stop {
  int signal = 0;      // the first one that any rank reported
  bool agreed = true;  // false: not every rank answered; the others may stop elsewhere
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Stop>& s) {
  a.values(s.signal, s.agreed);
}

class StopAgreement {
 public:
  struct Options {
    std::chrono::milliseconds period{100};    // the side thread checks this often: poll_period()
    std::chrono::milliseconds answer{4000};   // how long a frozen rank waits for the agreement
    std::chrono::milliseconds overdue{6000};  // time between the freeze and on_overdue
    // Called in the side thread when the main thread has not stopped in time, because it is stuck
    // in a step. It must write the results so far and end the process. May be empty.
    std::function<void(int signal)> on_overdue;
    // Returns the signal that this rank has received: the process's, or a thread's of a test.
    std::function<std::optional<int>()> received = received_signal;
    Clock& clock = real_clock();
  };

  // Each training loop has one; `loop` is its name, unique within the run. Every rank of the world
  // makes it. `store` is the run's, by a connection in which no other thread waits, since the side
  // thread uses it (ErrorStore::store()); or a RecordingStore over it, which can delete the loop's
  // keys (one per rank and one more) later.
  StopAgreement(const c10::intrusive_ptr<c10d::Store>& store, const std::string& loop, int rank,
                int world_size, Options options);
  // The loop is over: this promises its steps and joins the side thread.
  ~StopAgreement();
  StopAgreement(const StopAgreement&) = delete;
  StopAgreement& operator=(const StopAgreement&) = delete;

  // Call before each step with its number: 0, 1, 2... True: run it. False: the loop ends before
  // this step, see stop(). Without a request it costs one atomic store and one load.
  bool may_begin(std::int64_t step);

  // Returns why may_begin() returned false.
  std::optional<Stop> stop() const;

 private:
  void run();
  void poll();
  void freeze(int signal);
  void seek_agreement();
  void decide(std::int64_t steps, bool agreed);
  std::optional<int> requested_signal();
  std::optional<std::int64_t> largest_promise();
  void close();
  std::string promise_key(int rank) const;

  c10::intrusive_ptr<c10d::Store> store_;
  std::string prefix_;
  int rank_;
  int world_size_;
  Options options_;

  std::atomic<std::int64_t> begun_{0};  // steps that the main thread has begun or waits to begin
  std::atomic<bool> frozen_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::int64_t> agreed_steps_;
  std::optional<Stop> decision_;
  bool stopped_ = false;  // the main thread has stopped
  bool closing_ = false;
  // --- Only the side thread uses these.
  bool store_alive_ = true;
  bool promised_ = false;
  bool overdue_called_ = false;
  int signal_ = 0;
  int promises_seen_ = 0;  // rank 0: promises of ranks 0, 1, ... that it has read
  std::int64_t largest_promise_ = 0;
  std::optional<AwakeClock> since_frozen_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scalemark::distributed
