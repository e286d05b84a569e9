// Makes the record of one point from what each rank measured: every formula of METRICS.md,
// "The window" and "Steps", is here. Pure; knows no clock, device or file.
#pragma once

#include <span>

#include "report/judge/point/rank_steps.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// `identity` has what was known before the run: the identity fields, setup, parameters,
// flops_per_sample, evaluation, memory_estimate_bytes, warmup_method. `processes` holds one
// measurement per member, condensed (rank_steps.h), in any order; `series` has the largest values
// of theirs. A loss that is not finite makes the point failed, with the reason. Throws bug() when
// the ranks contradict each other (different numbers of steps, series of another length, no time
// passed).
PointRecord assemble_point(PointRecord identity, std::span<const RankMeasurement> processes,
                           const StepSeries& series);

}  // namespace scalemark::reporting
