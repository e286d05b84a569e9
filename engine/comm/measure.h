// One run of one collective on one rank: it is verified and timed, with other work beside it. Knows
// no plan and no report.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/telemetry/sampler.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/distributed/backend.h"
#include "engine/process/rank_group.h"
#include "report/judge/point/telemetry.h"
#include "report/record/collective_records.h"

namespace scalemark::communicating {

struct CollectiveOutcome {
  // The reason why it could not run, the same on every rank: memory does not hold the buffers, or
  // the backend lacks the collective. Empty: it ran.
  std::string skipped;
  // Filled on the group's rank 0.
  std::vector<reporting::CollectiveTimes> ranks;
  std::vector<double> slowest_s;  // see Timing::slowest_s
  // The readings of each member's machine while the calls were timed.
  std::vector<reporting::RankReadings> readings;
};

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveOutcome>& o) {
  a.values(o.skipped, o.ranks, o.slowest_s, o.readings);
}

// The runs of a batch share these on one rank.
struct Surroundings {
  process::RankGroup& rank_group;
  distributed::DirectCommunicator* direct = nullptr;  // null: the group's backend has none
  // Carries the traffic beside the calls; null: not asked for.
  process::RankGroup* background = nullptr;
  // All members call it alike between the parts of a run; an exception from it ends the run.
  std::function<void()> between = [] {};
  monitoring::Sampler* telemetry = nullptr;  // null: nothing is read
};

// Collective over the group. Throws what a collective throws when a member is gone.
CollectiveOutcome measure(const planning::CollectivePoint& point, const Surroundings& around);

}  // namespace scalemark::communicating
