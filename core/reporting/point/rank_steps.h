// Condenses a rank's steps to what other ranks need: their summary, and the rank's part in each
// step's largest value over the ranks. So no rank ever holds the series of all. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/reporting/record/records.h"

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

}  // namespace scalemark::reporting
