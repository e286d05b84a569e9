// Settings and ranks together: a launcher decides how many ranks there are, and the settings depend
// on that; which launcher is asked depends on the settings.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/sources.h"
#include "core/launching/detect.h"
#include "core/settings/machine.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

struct Settled {
  settings::Settings settings;
  launching::Detection detection;
  settings::RankCount ranks;
};

// Prints notes (rank 0) and, when something is refused, each problem on stderr before it throws.
Settled settle(const Invocation& invocation);

}  // namespace scalemark::cli
