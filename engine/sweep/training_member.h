// A rank's part in the tasks of a sweep, and how this process does them: a group, a training, a
// reading of the machine. Knows neither the order of tasks nor the report.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/launch/world.h"
#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/distributed/group_end.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "engine/process/task_loop.h"
#include "engine/sweep/dataset_cache.h"
#include "engine/sweep/fingerprint_member.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/train/point.h"

namespace scalemark::sweeping {

// The outcome of one task on this rank. The `world` of the task's ranks is known even where no
// group could be made; the group's rank 0 has the `measured` values when the result is ok.
struct TaskOutcome {
  RankResult result;
  launching::World world;
  running::PointOutcome measured;
};

// Runs a task and reports its result. TrainingMember trains points; tests have members of their
// own.
class SweepMember {
 public:
  explicit SweepMember(process::RankLink& ranks) : ranks_(ranks) {}
  virtual ~SweepMember() = default;

  // Takes part in the task of message `number` and reports its result. Throws only a lost store,
  // which ends the sweep.
  TaskOutcome run(std::int64_t number, const planning::Task& task);

  // Frees what the task held. Call it once every member has reported. After a fault of this rank's
  // GPU (E_GPU_FAULT) it throws that fault instead, which ends the process, since no call to the
  // GPU succeeds any more. By then rank 0 has written the row.
  void release();

  // Whether an epoch of the task's data has one batch for each rank.
  virtual bool data_holds_batch(const planning::Task& task) const = 0;
  // Reads what uses this rank's machine while nothing trains, as bytes.
  virtual std::string read_machine() = 0;
  virtual std::string read_health() = 0;
  // Returns this rank's records of its machine's fingerprint, as bytes. Collective over all ranks.
  virtual std::string fingerprint(const SweepCommand& command) = 0;

 protected:
  // Fills in `outcome`. Returns ok or stopped; every failure is thrown.
  virtual RankResult train(std::int64_t number, const planning::Task& task,
                           TaskOutcome& outcome) = 0;
  // Called after a failure: peers that wait for this rank fail, too.
  virtual void drop() noexcept = 0;
  virtual void give_back() = 0;

 private:
  process::RankLink& ranks_;
  std::optional<ErrorRecord> gpu_fault_;
};

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

class TrainingMember : public SweepMember {
 public:
  // Collective over the session: refuses ranks that share a GPU when some point is to use NCCL.
  TrainingMember(process::RankProcess& rank_process, process::RankContext& context,
                 process::RankLink& ranks, const DatasetCache& datasets, const planning::Plan& plan,
                 process::NcclLog& nccl_log);
  ~TrainingMember() override;

  bool data_holds_batch(const planning::Task& task) const override;
  // Takes 0.3 s.
  std::string read_machine() override;
  std::string read_health() override { return health_.snapshot(); }
  std::string fingerprint(const SweepCommand& command) override {
    return fingerprint_.answer(command);
  }

 protected:
  RankResult train(std::int64_t number, const planning::Task& task, TaskOutcome& outcome) override;
  void drop() noexcept override;
  void give_back() override;

 private:
  void save_raw_steps(const planning::Task& task, running::PointOutcome& measured);

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  distributed::WorkQueue& queue_;
  const DatasetCache& datasets_;
  const planning::Plan& plan_;
  FingerprintMember fingerprint_;
  process::HealthWatch health_;
  c10::intrusive_ptr<distributed::RecordingStore> loop_keys_;
  std::unique_ptr<process::RankGroup> rank_group_;
};

}  // namespace scalemark::sweeping
