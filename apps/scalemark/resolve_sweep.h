// Settings, ranks and plan of a sweep together: which ranks there are depends on the largest world
// size asked for, and the plan on the ranks.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/resolve_command.h"
#include "core/planning/plan.h"
#include "core/settings/axes.h"

namespace scalemark::cli {

struct ResolvedSweep {
  ResolvedCommand base;  // settings: those of a point, for what all points share (launch, general)
  settings::SweepRequest asked;
  planning::Plan plan;
};

// Reports like resolve_command(): notes (rank 0), then each problem on stderr before it throws.
ResolvedSweep resolve_sweep(const Invocation& invocation);

}  // namespace scalemark::cli
