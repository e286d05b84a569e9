// One task of a sweep as one of its members: a group, the run, a result. Knows neither what comes
// next nor the report.
#pragma once

#include <memory>
#include <optional>

#include "core/planning/plan.h"
#include "core/planning/sweep_schedule.h"
#include "engine/distributed/recording_store.h"
#include "engine/distributed/work_queue.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "engine/running/point.h"
#include "engine/sweeping/dataset_cache.h"
#include "engine/sweeping/rank_result.h"

namespace scalemark::sweeping {

// The outcome of one task on this rank.
struct TaskOutcome {
  RankResult result;
  launching::World world;          // of the task's ranks, known even where no group could be made
  running::PointOutcome measured;  // what it measured: on the group's rank 0, when the result is ok
};

class SweepMember {
 public:
  // Collective over the session: refuses ranks that share a GPU when some point is to use NCCL.
  SweepMember(process::RankProcess& rank_process, process::RankContext& context,
              distributed::WorkQueue& queue, const DatasetCache& datasets,
              const planning::Plan& plan);
  ~SweepMember();

  // Takes part in the task of message `number` and reports its result. Throws only what ends the
  // sweep: a store that is gone.
  TaskOutcome run(std::int64_t number, const planning::Task& task);

  // Whether an epoch of the task's data has one batch for each rank.
  bool data_holds_batch(const planning::Task& task) const;

  // Call it once every member has reported: releases the group, its keys and cached memory. After a
  // fault of this rank's GPU (E_GPU_FAULT) it throws that fault instead, which ends the process: no
  // call to the GPU succeeds any more. By then rank 0 has written the row.
  void release();

 private:
  RankResult attempt(std::int64_t number, const planning::Task& task,
                     const settings::Settings& settings, TaskOutcome& outcome);
  void save_raw_steps(const planning::Task& task, running::PointOutcome& measured);
  void hand_over(std::int64_t number, const TaskOutcome& outcome);

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  distributed::WorkQueue& queue_;
  const DatasetCache& datasets_;
  const planning::Plan& plan_;
  c10::intrusive_ptr<distributed::RecordingStore> loop_keys_;
  std::unique_ptr<process::RankGroup> rank_group_;
  std::optional<ErrorRecord> gpu_fault_;
};

}  // namespace scalemark::sweeping
