// Condenses the steps of ranks to what the record of their point needs: what one rank's steps
// contribute, so that no rank ever holds the series of all; which losses are kept; and how a step
// splits into communication and the rest. Pure. Definitions: METRICS.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/record/records.h"

namespace scalemark::reporting {

// The number of parts equals the number of blocks with communication in the quadruples of
// --communication-cost.
inline constexpr std::size_t kExposedBatches = 8;

// The series of the window as a whole: for each step the largest value of any rank, and for each
// stretch between two barriers its longest wall. Without phases only max_step_s and max_wall_s are
// filled.
struct StepSeries {
  std::vector<double> max_step_s, max_own_s, max_own_less_wait_s;
  std::vector<double> max_wall_s;  // one entry; with --epochs one per stretch
};
template <class A>
constexpr void fields(A& a, typename A::template Field<StepSeries>& s) {
  a.values(s.max_step_s, s.max_own_s, s.max_own_less_wait_s, s.max_wall_s);
}

// Whether a series of `values` entries fits the rank's steps and their marks. Steps after the
// window's last whole group have no entry.
bool series_fits(std::int64_t values, const RankMeasurement& rank);

// Summarises a series of steps, or of means over `steps_per_mark` steps each.
Summary summary_of(const std::vector<double>& step_s, std::int64_t steps_per_mark);

// Sets what follows from the rank's own series: step_s, own times, waits and exposed communication
// of its record, and exposed_batches. Returns the rank's part of the point's series. Throws bug()
// when the series do not hold one value for each step, or group of steps.
StepSeries condense(RankMeasurement& rank);

// Takes the larger of two values, step by step. Both must have equally many steps and stretches.
void take_largest(StepSeries& all, const StepSeries& more);

// Whether the loss of the `step`-th optimizer step, counted from 1, is kept. Two runs of any length
// and batch size must have steps or numbers of samples in common. So steps 1 to 15 are kept, then
// the numbers with four significant binary digits (16, 18, ... 30, 32, 36, ...): eight in each
// doubling. Twice such a number is one, too, so a run with twice the samples per step has the same
// numbers of samples.
bool keeps_loss_at(std::int64_t step);

// Splits a point's step into communication and the rest: waits for peers, the network, and what
// --communication-cost measured. Fills point.communication and noop_step_s from the point's ranks
// and own times, the blocks of `ranks`, and the mean over ranks of
// RankMeasurement::exposed_batches. Throws bug() when the ranks' blocks are no quadruples, or not
// equally many.
void set_communication(PointRecord& point, std::span<const RankMeasurement> ranks,
                       std::span<const double> exposed_batches);

}  // namespace scalemark::reporting
