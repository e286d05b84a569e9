// Runs a batch as one of its members: opens the batch's group, measures its points one after the
// other, and closes the group.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/planning/collectives/collective_plan.h"
#include "engine/communicating/links/pairs_run.h"
#include "engine/communicating/measure.h"
#include "engine/process/rank_process.h"

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

// A task of comm's loop: a batch, or all links (links/pairs_run.h). Every rank holds the plan, so
// only numbers travel.
using CommTask = std::optional<BatchId>;

class CommMember {
 public:
  CommMember(process::RankProcess& rank_process, process::RankContext& context,
             const planning::CollectivePlan& plan);

  // A run that is over.
  using OnRow = std::function<void(const planning::CollectivePoint& point,
                                   const std::string& started, const CollectiveOutcome& outcome)>;

  // Collective over the batch's members. `name` is unique within the run. `on_row` is called on the
  // group's rank 0. The signal that ended the batch early, the same on every member; absent: none.
  std::optional<int> run(const std::string& name, const planning::CollectiveBatch& batch,
                         const OnRow& on_row);

  // Collective over the session; the result is rank 0's.
  MeasuredPairs run_pairs(const planning::PairPlan& plan);

 private:
  std::optional<int> measure_all(process::RankGroup& rank_group, process::RankGroup* background,
                                 const planning::CollectiveBatch& batch, const OnRow& on_row);
  std::optional<int> agreed_signal(distributed::ControlGroup& control);
  bool wants_traffic(const planning::CollectiveBatch& batch) const;

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  const planning::CollectivePlan& plan_;
};

}  // namespace scalemark::communicating
