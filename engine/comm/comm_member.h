// The tasks of `comm`, and a rank's part in them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/collectives/collective_plan.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/comm/links/parts_run.h"
#include "engine/comm/measure.h"
#include "engine/process/machines.h"
#include "engine/process/rank_process.h"
#include "engine/process/task_loop.h"

namespace scalemark::communicating {

// The `number`-th of planning::batches_of_block(plan, block).
struct BatchId {
  int block = 0;
  std::size_t number = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<BatchId>& b) {
  a.values(b.block, b.number);
}

// A task of comm's loop: a batch, a snapshot of counters of errors, or all links and the parts of
// the fleet (links/pairs_run.h, parts_run.h). Every rank holds the plan, so only numbers travel.
struct CommTask {
  std::optional<BatchId> batch;
  bool health = false;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<CommTask>& t) {
  a.values(t.batch, t.health);
}

// The name is unique within the run.
std::string batch_name(const distributed::WorkMessage& message);

// A rank's part in the tasks. MeasuringMember measures collectives; tests have members of their
// own.
class CommMember {
 public:
  virtual ~CommMember() = default;

  // Is called when a run is over. Returns whether the run is to be measured again.
  using OnRow = std::function<bool(const planning::CollectivePoint& point,
                                   const std::string& started, const CollectiveOutcome& outcome)>;

  // Collective over the batch's members. `name` is unique within the run. `on_row` is called on the
  // group's rank 0. Returns the signal that ended the batch early, the same on every member, or
  // nothing when the batch was completed.
  virtual std::optional<int> run(const std::string& name, const planning::CollectiveBatch& batch,
                                 const OnRow& on_row) = 0;

  // Both are collective over the session; the result is rank 0's. Rank 0 knows the rate of the
  // slowest link of each node.
  virtual MeasuredPairs run_pairs(const planning::PairPlan& plan) = 0;
  virtual std::vector<MeasuredPart> run_parts(const planning::PairPlan& plan,
                                              const std::vector<double>& slowest_links) = 0;

  virtual std::string read_health() = 0;
};

// Opens the batch's group, measures its points one after the other, and closes the group.
class MeasuringMember : public CommMember {
 public:
  MeasuringMember(process::RankProcess& rank_process, process::RankContext& context,
                  const planning::CollectivePlan& plan, process::NcclLog& nccl_log);

  std::optional<int> run(const std::string& name, const planning::CollectiveBatch& batch,
                         const OnRow& on_row) override;
  MeasuredPairs run_pairs(const planning::PairPlan& plan) override;
  std::vector<MeasuredPart> run_parts(const planning::PairPlan& plan,
                                      const std::vector<double>& slowest_links) override;
  std::string read_health() override { return health_.snapshot(); }

 private:
  std::optional<int> measure_all(process::RankGroup& rank_group, process::RankGroup* background,
                                 const planning::CollectiveBatch& batch, const OnRow& on_row);
  // The members agree on this before each run.
  struct Next {
    std::optional<int> signal;  // the largest that any member received
    bool again = false;         // rank 0 wants the last run once more
  };
  Next agree_on_next(distributed::ControlGroup& control, bool again);
  bool wants_traffic(const planning::CollectiveBatch& batch) const;

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  const planning::CollectivePlan& plan_;
  process::NcclLog& nccl_log_;
  process::HealthWatch health_;
};

class CommFollower : public process::TaskFollower {
 public:
  CommFollower(process::RankLink& ranks, const planning::CollectivePlan& plan, CommMember& member)
      : ranks_(ranks), plan_(plan), member_(member) {}

  void take_part(const distributed::WorkMessage& message) override;

 private:
  process::RankLink& ranks_;
  const planning::CollectivePlan& plan_;
  CommMember& member_;
};

}  // namespace scalemark::communicating
