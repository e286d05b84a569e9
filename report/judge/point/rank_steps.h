// From the steps of ranks to what the record of their point needs: what of each rank's steps other
// ranks get to know, so that none ever holds the series of all, which losses are kept, and how a
// step splits into communication and the rest. Pure. Definitions: docs/METRICS.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/record/records.h"

namespace scalemark::reporting {

// Quadruples of --communication-cost have as many blocks with communication.
inline constexpr std::size_t kExposedBatches = 8;

// The series describe the window as a whole: for each step the largest value of any rank, and for
// each stretch between two barriers its longest wall. Without phases only max_step_s and
// max_wall_s.
struct StepSeries {
  std::vector<double> max_step_s, max_own_s, max_own_less_wait_s;
  std::vector<double> max_wall_s;  // one; of --epochs one per stretch
};
template <class A>
constexpr void fields(A& a, typename A::template Field<StepSeries>& s) {
  a.values(s.max_step_s, s.max_own_s, s.max_own_less_wait_s, s.max_wall_s);
}

// Whether a series of `values` entries fits the rank's steps and their marks. Steps after a
// window's last whole group belong to no entry.
bool series_fits(std::int64_t values, const RankMeasurement& rank);

// Summary of a series of steps, or of means over `steps_per_mark` steps each.
Summary summary_of(const std::vector<double>& step_s, std::int64_t steps_per_mark);

// Sets what follows from the rank's own series: step_s, own times, waits and exposed communication
// of its record, exposed_batches. Returns its part of the point's series. Throws bug() when the
// series do not hold one value for each step, or group of steps.
StepSeries condense(RankMeasurement& rank);

// The larger of two values, step by step; both of equally many steps and stretches.
void take_largest(StepSeries& all, const StepSeries& more);

// Keeps the loss of the `step`-th optimizer step, counted from 1, so that two runs of any length,
// and of any batch size, have steps or numbers of samples in common: of 1 to 15, then of the
// numbers with four significant binary digits (16, 18, ... 30, 32, 36, ...): eight in each
// doubling. Twice such a number is one, too, so that a run with twice the samples per step has the
// same numbers of samples.
bool keeps_loss_at(std::int64_t step);

// Splits a point's step into communication and the rest: waits for peers against the network, and
// what --communication-cost measured. Fills point.communication and noop_step_s, from the point's
// ranks and own times, the blocks of `ranks`, and the mean over ranks of
// RankMeasurement::exposed_batches. Throws bug() when the ranks' blocks are no quadruples, or not
// equally many.
void set_communication(PointRecord& point, std::span<const RankMeasurement> ranks,
                       std::span<const double> exposed_batches);

}  // namespace scalemark::reporting
