// The options of a sweep resolved: which ranks there are depends on the largest world size asked
// for, and the plan on the ranks.
#pragma once

#include "apps/scalemark/rank_command.h"
#include "core/plan/plan.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::cli {

struct ResolvedSweep {
  // Its settings are those of a point, for what all points share (launch, general).
  ResolvedCommand base;
  settings::SweepRequest asked;
  planning::Plan plan;
};

}  // namespace scalemark::cli
