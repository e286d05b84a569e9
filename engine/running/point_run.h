// One task of a sweep as one of its members: a team, the run, a ballot. Knows neither what comes
// next nor the report.
#pragma once

#include <memory>
#include <optional>

#include "core/planning/agenda.h"
#include "core/planning/plan.h"
#include "engine/distributed/recording_store.h"
#include "engine/distributed/task_board.h"
#include "engine/running/ballot.h"
#include "engine/running/data_shelf.h"
#include "engine/running/point.h"
#include "engine/running/rank_life.h"
#include "engine/running/team.h"

namespace scalemark::running {

class PointRun {
 public:
  // Collective over the session: refuses ranks that share a GPU when some point is to use NCCL.
  PointRun(RankLife& life, Session& session, distributed::TaskBoard& board, const DataShelf& shelf,
           const planning::Plan& plan);
  ~PointRun();

  // Takes part in the task of notice `number` and votes on it. Throws only what ends the sweep: a
  // store that is gone.
  Ballot run(std::int64_t number, const planning::Task& task);

  // Whether an epoch of the task's data has one batch for each rank.
  bool data_holds_batch(const planning::Task& task) const;

  // After run(), until settle(): what it measured; on the team's rank 0.
  const PointOutcome& outcome() const { return outcome_; }
  const launching::World& world() const { return world_; }  // of the team

  // Once every member has voted: the team's group and keys go, and cached memory. After a fault of
  // this rank's GPU (E_GPU_FAULT) it throws that fault instead, which ends the process: no call to
  // the GPU succeeds any more. By then rank 0 has written the row.
  void settle();

 private:
  Ballot attempt(std::int64_t number, const planning::Task& task,
                 const settings::Settings& settings);

  RankLife& life_;
  Session& session_;
  distributed::TaskBoard& board_;
  const DataShelf& shelf_;
  const planning::Plan& plan_;
  c10::intrusive_ptr<distributed::RecordingStore> loop_keys_;
  std::unique_ptr<Team> team_;
  launching::World world_;
  PointOutcome outcome_;
  std::optional<ErrorRecord> gpu_fault_;
};

}  // namespace scalemark::running
