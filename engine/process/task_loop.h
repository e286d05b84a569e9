// The loop of a command whose work is tasks: rank 0 leads and posts one after the other, the other
// ranks follow. The command supplies both bodies; the loop does messages, signals and the end, over
// the link of each rank.
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

// One rank and its way to the others, as the loop sees them: a process (ProcessLink), or a
// thread of a test.
class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual distributed::WorkQueue& queue() = 0;
  virtual c10d::Store& store() = 0;
  virtual distributed::Clock& clock() = 0;
  // The signal that this rank, perhaps alone, has received.
  virtual std::optional<int> received_signal() const = 0;
  virtual void enter(const std::string& phase) = 0;  // a phase of --timeout
  virtual void heartbeat() = 0;
  // On rank 0: what is measured now, for status.json.
  virtual void publish(LiveStatus::Now) {}
  // This rank's record for status.json, and on rank 0 that of another one.
  virtual std::string heartbeat_record() { return {}; }
  virtual void take(const std::string& /*heartbeat_record*/) {}
  // Bounds the wait for a result.
  virtual std::chrono::milliseconds timeout() const = 0;
  // Reports that this rank was asked to stop; returns the process's exit code. `kept`: what there
  // is, and how to go on; empty: nothing to say.
  virtual ExitCode end_interrupted(const distributed::Stop& stop, const std::string& kept = {}) = 0;
};

// A command's part on each rank but 0.
class TaskFollower {
 public:
  virtual ~TaskFollower() = default;
  // Takes part in the task of `message`, where this rank has a part in it.
  virtual void take_part(const distributed::WorkMessage& message) = 0;
  // Every member has reported on the last task: gives back what it held.
  virtual void release() {}
};

// A command's part on rank 0. What its functions throw ends the command.
class TaskLeader {
 public:
  virtual ~TaskLeader() = default;
  virtual void begin() {}
  // The text of the next task. Absent: the work is done.
  virtual std::optional<std::string> next() = 0;
  // Takes part in the task that was posted, collects and records the results. The stop that its
  // members have come to, if they have.
  virtual std::optional<distributed::Stop> run(const distributed::WorkMessage& message) = 0;
  // Closes the report; returns the command's exit code. The other ranks still live.
  virtual ExitCode close() = 0;
  // Shows the result. The other ranks may be gone.
  virtual void show() = 0;
  // The same two for a command that is asked to stop; the error itself is the loop's. Returns what
  // is kept and how to go on, in a sentence.
  virtual std::string close_stopped() = 0;
  virtual void show_stopped() = 0;
};

class TaskLoop {
 public:
  explicit TaskLoop(RankLink& link) : link_(link) {}

  // On rank 0, and on every other rank. Return the process's exit code; throw what ends it
  // otherwise: a lost rank, a full disk.
  ExitCode lead(TaskLeader& leader);
  ExitCode follow(TaskFollower& follower);

  // --- For leaders.

  // Whether somebody has asked for the end, and by which signal.
  std::optional<int> requested_signal();

  // The results of `members` on message `number`, by rank, as WorkQueue::result_texts(). While it
  // waits this rank lives, and passes on a signal if `idle`: it has no part in the task.
  using Results = distributed::WorkQueue::ResultTexts;
  using KeepWaiting = std::function<bool(const Results&, std::chrono::milliseconds waited)>;
  Results collect(std::int64_t number, const std::vector<int>& members,
                  const KeepWaiting& keep_waiting, bool idle);

  enum class Waits { kForTheTimeout, kWhileTheyLive };
  // Posts a task of every rank, of which `answer` is this one's part. Ranks that do not answer
  // within timeout() are left out, or waited for as long as they send heartbeats.
  Results ask_all(const std::string& task, const std::function<std::string()>& answer,
                  Waits waits = Waits::kForTheTimeout);

  RankLink& link() { return link_; }

 private:
  void pass_on_signal();
  ExitCode stop(TaskLeader& leader, const distributed::Stop& stop);

  RankLink& link_;
};

// A rank of a task loop as a process: its watchdog, signals and phases, and the queue over the
// run's store.
class ProcessLink : public RankLink {
 public:
  // After the preflight. A rank that is lost ends this process through RankProcess::give_up().
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
