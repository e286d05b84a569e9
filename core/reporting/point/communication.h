// Splits a point's step into communication and the rest: waits for peers against the network, and
// what --communication-cost measured. Definitions: docs/METRICS.md. Pure.
#pragma once

#include <span>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// Fills point.communication and noop_step_s, from the point's ranks and own times, the blocks of
// `ranks`, and the mean over ranks of RankMeasurement::exposed_batches. Throws bug() when the
// ranks' blocks are no quadruples, or not equally many.
void set_communication(PointRecord& point, std::span<const RankMeasurement> ranks,
                       std::span<const double> exposed_batches);

}  // namespace scalemark::reporting
