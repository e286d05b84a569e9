// One run of one collective on one rank: verification, timing, and other work beside it. Knows no
// plan, no report.
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
  // Why it could not run, the same on every rank: memory that does not hold the buffers, or a
  // collective that the backend lacks. Empty: it ran.
  std::string skipped;
  // On the group's rank 0.
  std::vector<reporting::CollectiveTimes> ranks;
  std::vector<double> slowest_s;  // see Timing::slowest_s
  // Each member read this of its machine while the calls were timed.
  std::vector<reporting::RankReadings> readings;
};

// A batch of runs shares this on one rank.
struct Surroundings {
  process::RankGroup& rank_group;
  distributed::DirectCommunicator* direct = nullptr;  // null: the group's backend has none
  process::RankGroup* background = nullptr;           // for traffic beside; null: not asked for
  // Called by all members alike, between the parts of a run; what it throws ends the run.
  std::function<void()> between = [] {};
  monitoring::Sampler* telemetry = nullptr;  // null: nothing is read
};

// Collective over the group. Throws what a collective throws when a member is gone.
CollectiveOutcome measure(const planning::CollectivePoint& point, const Surroundings& around);

}  // namespace scalemark::communicating
