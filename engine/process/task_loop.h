// The loop of a command whose work consists of tasks: rank 0 leads and posts one after the other,
// the other ranks follow. The command supplies both bodies; the loop handles messages, signals and
// the end, over the link of each rank.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/work_queue.h"
#include "engine/process/live_status.h"
#include "engine/process/rank_process.h"

namespace scalemark::process {

// One rank and its connection to the others, as the loop sees them: a process (ProcessLink), or a
// thread of a test.
class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual distributed::WorkQueue& queue() = 0;
  virtual c10d::Store& store() = 0;
  virtual distributed::Clock& clock() = 0;
  // Returns the signal that this rank, perhaps alone, has received.
  virtual std::optional<int> received_signal() const = 0;
  virtual void enter(const std::string& phase) = 0;  // a phase of --timeout
  virtual void heartbeat() = 0;
  // Rank 0: publishes what is measured now in status.json.
  virtual void publish(LiveStatus::Now) {}
  // Returns this rank's record for status.json; on rank 0 take() receives the others'.
  virtual std::string heartbeat_record() { return {}; }
  virtual void take(const std::string& /*heartbeat_record*/) {}
  // Returns the limit for waiting for a result.
  virtual std::chrono::milliseconds timeout() const = 0;
  // Reports that this rank was asked to stop; returns the process's exit code. `kept` says what is
  // kept and how to continue; empty: nothing.
  virtual ExitCode end_interrupted(const distributed::Stop& stop, const std::string& kept = {}) = 0;
};

// A command's part on each rank but 0.
class TaskFollower {
 public:
  virtual ~TaskFollower() = default;
  // Takes part in the task of `message` if this rank has a part in it.
  virtual void take_part(const distributed::WorkMessage& message) = 0;
  // Every member has reported on the last task, so this frees what the task held.
  virtual void release() {}
};

// A command's part on rank 0. An exception from its functions ends the command.
class TaskLeader {
 public:
  virtual ~TaskLeader() = default;
  virtual void begin() {}
  // Returns the text of the next task, or nothing when the work is done.
  virtual std::optional<std::string> next() = 0;
  // Takes part in the posted task, collects and records the results. Returns the stop on which its
  // members have agreed, if they have.
  virtual std::optional<distributed::Stop> run(const distributed::WorkMessage& message) = 0;
  // Closes the report; returns the command's exit code. The other ranks still live.
  virtual ExitCode close() = 0;
  // Shows the result. The other ranks may be gone.
  virtual void show() = 0;
  // close_stopped() and show_stopped() replace the two for a command that was asked to stop; the
  // loop reports that error itself. close_stopped() returns, in a sentence, what is kept and how to
  // continue.
  virtual std::string close_stopped() = 0;
  virtual void show_stopped() = 0;
};

class TaskLoop {
 public:
  explicit TaskLoop(RankLink& link) : link_(link) {}

  // lead() runs on rank 0, follow() on every other rank. Both return the process's exit code. They
  // throw what ends the command otherwise: a lost rank, a full disk.
  ExitCode lead(TaskLeader& leader);
  ExitCode follow(TaskFollower& follower);

  // --- For leaders.

  // Returns the signal by which somebody has asked for the end, if anybody has.
  std::optional<int> requested_signal();

  // Returns the results of `members` on message `number`, by rank, like WorkQueue::result_texts().
  // Meanwhile this rank sends heartbeats; if it is `idle`, because it has no part in the task, it
  // also passes on a signal.
  using Results = distributed::WorkQueue::ResultTexts;
  using KeepWaiting = std::function<bool(const Results&, std::chrono::milliseconds waited)>;
  Results collect(std::int64_t number, const std::vector<int>& members,
                  const KeepWaiting& keep_waiting, bool idle);

  enum class Waits { kForTheTimeout, kWhileTheyLive };
  // Posts a task for every rank; `answer` is this rank's part. Ranks that do not answer within
  // timeout() are left out, or waited for as long as they send heartbeats.
  Results ask_all(const std::string& task, const std::function<std::string()>& answer,
                  Waits waits = Waits::kForTheTimeout);

  RankLink& link() { return link_; }

 private:
  void pass_on_signal();
  ExitCode stop(TaskLeader& leader, const distributed::Stop& stop);

  RankLink& link_;
};

// A process as the rank of a task loop: its watchdog, signals and phases, and the queue over the
// run's store.
class ProcessLink : public RankLink {
 public:
  // Make it after the preflight. A lost rank ends this process through RankProcess::give_up().
  ProcessLink(RankProcess& rank_process, RankContext& context);

  int rank() const override { return context_.world().rank; }
  int size() const override { return context_.world().world_size; }
  distributed::WorkQueue& queue() override { return queue_; }
  c10d::Store& store() override { return *context_.store_pointer(); }
  distributed::Clock& clock() override { return distributed::real_clock(); }
  std::optional<int> received_signal() const override { return distributed::received_signal(); }
  void enter(const std::string& phase) override { rank_process_.phase_tracker().enter(phase); }
  void heartbeat() override { rank_process_.watchdog().heartbeat(0); }
  void publish(LiveStatus::Now now) override { rank_process_.live().publish(std::move(now)); }
  std::string heartbeat_record() override { return rank_process_.live().record(); }
  void take(const std::string& heartbeat_record) override {
    rank_process_.live().take(heartbeat_record);
  }
  std::chrono::milliseconds timeout() const override { return context_.timeout(); }
  ExitCode end_interrupted(const distributed::Stop& stop, const std::string& kept) override {
    return rank_process_.end_interrupted(stop.signal, stop.agreed, kept);
  }

 private:
  RankProcess& rank_process_;
  RankContext& context_;
  distributed::WorkQueue queue_;
};

}  // namespace scalemark::process
