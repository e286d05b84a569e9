// Condenses a rank's steps to what other ranks need: its own summary, and its part in each step's
// largest value over the ranks. So no rank ever holds the series of all. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// One rank's steps in a few numbers; own = step - exposed communication.
struct RankSteps {
  Summary step_s;
  // RankRecord explains these.
  std::optional<double> own_mean_s, own_mean_ln, data_wait_s, exposed_communication_s;
  // Mean exposed communication of equal parts of the window, in order; empty without phases, and of
  // fewer steps than parts.
  std::vector<double> exposed_batches;
};

// Quadruples of --communication-cost have as many blocks with communication.
inline constexpr std::size_t kExposedBatches = 8;

// A rank sends its measurement without the series, and their summary.
struct RankSummary {
  RankMeasurement rank;
  RankSteps steps;
};

// The series describe the window as a whole: for each step the largest value of any rank, and for
// each stretch between two barriers its longest wall. Without phases only max_step_s and
// max_wall_s.
struct StepSeries {
  std::vector<double> max_step_s, max_own_s, max_own_less_wait_s;
  std::vector<double> max_wall_s;  // one; of --epochs one per stretch
};

// Whether a series of `values` entries fits the rank's steps and their marks. Steps after a
// window's last whole group belong to no entry.
bool series_fits(std::int64_t values, const RankMeasurement& rank);

// Summary of a series of steps, or of means over `steps_per_mark` steps each.
Summary summary_of(const std::vector<double>& step_s, std::int64_t steps_per_mark);

// The series of one rank. Throws bug() when they do not hold one value for each step, or
// group of steps.
StepSeries series_of(const RankMeasurement& rank);

// The larger of two values, step by step; both of equally many steps and stretches.
void take_largest(StepSeries& all, const StepSeries& more);

// A few hundred bytes for any number of steps. Throws as series_of().
RankSummary condensed(RankMeasurement rank);

}  // namespace scalemark::reporting
