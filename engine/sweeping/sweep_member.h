// A rank's part in the tasks of a sweep. It says what a task gave and reports it; how points are
// trained is TrainingMember's (training_member.h), or a test's. Knows neither what comes next nor
// the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/launching/world.h"
#include "core/planning/plan.h"
#include "core/planning/sweep_schedule.h"
#include "engine/process/task_loop.h"
#include "engine/running/point.h"
#include "engine/sweeping/rank_result.h"
#include "engine/sweeping/sweep_command.h"

namespace scalemark::sweeping {

// The outcome of one task on this rank.
struct TaskOutcome {
  RankResult result;
  launching::World world;          // of the task's ranks, known even where no group could be made
  running::PointOutcome measured;  // what it measured: on the group's rank 0, when the result is ok
};

class SweepMember {
 public:
  explicit SweepMember(process::RankLink& ranks) : ranks_(ranks) {}
  virtual ~SweepMember() = default;

  // Takes part in the task of message `number` and reports its result. Throws only what ends the
  // sweep: a store that is gone.
  TaskOutcome run(std::int64_t number, const planning::Task& task);

  // Call it once every member has reported: gives back what the task held. After a fault of this
  // rank's GPU (E_GPU_FAULT) it throws that fault instead, which ends the process: no call to the
  // GPU succeeds any more. By then rank 0 has written the row.
  void release();

  // Whether an epoch of the task's data has one batch for each rank.
  virtual bool data_holds_batch(const planning::Task& task) const = 0;
  // Reads what uses this rank's machine while nothing trains; as bytes.
  virtual std::string read_machine() = 0;
  // Reads the counters of errors that this rank sees: process::HealthWatch::look().
  virtual std::string read_health() = 0;
  // This rank's records of its machines' fingerprint, as bytes. Collective over all ranks.
  virtual std::string fingerprint(const SweepCommand& command) = 0;

 protected:
  // Fills in `outcome`. Ok, or stopped; every failure is thrown.
  virtual RankResult train(std::int64_t number, const planning::Task& task,
                           TaskOutcome& outcome) = 0;
  // After a failure: peers that wait for this rank fail, too.
  virtual void drop() noexcept = 0;
  virtual void give_back() = 0;

 private:
  process::RankLink& ranks_;
  std::optional<ErrorRecord> gpu_fault_;
};

// Every rank but 0 does this with the tasks.
class SweepFollower : public process::TaskFollower {
 public:
  SweepFollower(process::RankLink& ranks, const planning::Plan& plan, SweepMember& member)
      : ranks_(ranks), plan_(plan), member_(member) {}

  void take_part(const distributed::WorkMessage& message) override;
  void release() override { member_.release(); }

 private:
  process::RankLink& ranks_;
  const planning::Plan& plan_;
  SweepMember& member_;
};

}  // namespace scalemark::sweeping
