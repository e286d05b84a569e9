// The step series of a point's processes, reduced to those of its ranks together.
#pragma once

#include "core/reporting/point/rank_steps.h"
#include "engine/distributed/groups.h"

namespace scalemark::running {

// Each value becomes the largest of any training rank. Collective; on every process, also on one
// whose own series does not count, a dedicated server's. Throws bug() for unequal lengths.
void take_largest(reporting::StepSeries& series, distributed::ControlGroup& control, bool counts);

}  // namespace scalemark::running
