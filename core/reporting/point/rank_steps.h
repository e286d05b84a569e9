// What of a rank's steps is needed elsewhere: its own summary, and its part in each step's largest
// value over the ranks. So no rank ever holds the series of all. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// One rank's steps in a few numbers; own = step - exposed communication.
struct RankSteps {
  Summary step_s;
  double own_mean_s = 0;
  std::optional<double> own_mean_ln;                    // absent when a step was communication only
  double data_wait_s = 0, exposed_communication_s = 0;  // mean per step
};

// What a rank sends: its measurement without the three series, and what they come to.
struct RankSummary {
  RankMeasurement rank;
  RankSteps steps;
};

// Of the window as a whole: for each step the largest value of any rank.
struct StepSeries {
  std::vector<double> max_step_s, max_own_s, max_own_less_wait_s;
};

// Whether `values` are what so many steps leave, marked as they are. Steps behind a window's last
// whole group belong to no value.
bool series_fits(std::int64_t values, const RankMeasurement& rank);

// Of a series of steps, or of means over `steps_per_mark` steps each.
Summary summary_of(const std::vector<double>& step_s, std::int64_t steps_per_mark);

// The three series of one rank. Throws bug() when they do not hold one value for each step, or
// group of steps.
StepSeries series_of(const RankMeasurement& rank);

// The larger of two values, step by step; both of equally many steps.
void take_largest(StepSeries& all, const StepSeries& more);

// A few hundred bytes for any number of steps. Throws as series_of().
RankSummary condensed(RankMeasurement rank);

}  // namespace scalemark::reporting
