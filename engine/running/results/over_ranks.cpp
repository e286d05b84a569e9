#include "engine/running/results/over_ranks.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/wire.h"
#include "core/reporting/record/rank_fields.h"
#include "engine/running/results/loss_course.h"

namespace scalemark::running {
namespace {

// Less than the times of any rank.
void yield_to_ranks(reporting::StepSeries& series) {
  for (auto* values :
       {&series.max_step_s, &series.max_own_s, &series.max_own_less_wait_s, &series.max_wall_s}) {
    std::ranges::fill(*values, std::numeric_limits<double>::lowest());
  }
}

void take_largest(reporting::StepSeries& series, process::RankGroup& rank_group) {
  const auto steps = static_cast<double>(series.max_step_s.size());
  const auto stretches = static_cast<double>(series.max_wall_s.size());
  std::vector<double> most_and_least{steps, -steps, stretches, -stretches};
  rank_group.max_over_ranks(most_and_least);
  if (most_and_least[0] != -most_and_least[1] || most_and_least[2] != -most_and_least[3]) {
    throw bug("ranks with different numbers of steps or stretches");
  }
  rank_group.max_over_ranks(series.max_step_s);
  rank_group.max_over_ranks(series.max_own_s);
  rank_group.max_over_ranks(series.max_own_less_wait_s);
  rank_group.max_over_ranks(series.max_wall_s);
}

}  // namespace

void note_window(const Window& window, std::int64_t tokens_per_sample,
                 reporting::RankMeasurement& measured) {
  measured.record.samples = window.samples;
  measured.record.wall_s = window.wall_s;
  measured.record.around_s = window.around_s;
  measured.iterations = window.iterations;
  measured.steps_per_mark = window.steps_per_mark;
  measured.padded = window.padded;
  measured.tokens = window.samples * tokens_per_sample;
  measured.non_pad_tokens = window.non_pad_tokens;
  measured.energy_J = window.energy_J;
  if (!window.losses.empty()) {
    measured.loss_first = window.losses.front();
    measured.loss_last = window.losses.back();
  }
  reporting::RankSeries& series = measured.series;
  series.step_s = window.steps.step_s;
  for (const auto& stretch : window.stretches) series.stretch_wall_s.push_back(stretch.wall_s);
  const auto& phases = window.steps.phases;
  if (!phases.empty()) measured.record.phases_s = measurement::mean_of(phases);
  for (const reporting::Phases& step : phases) {
    series.exposed_communication_s.push_back(step.exposed_communication);
    series.counted_data_wait_s.push_back(step.data_wait);  // the timeline is the device's: METRICS
  }
  double& first_step_s = measured.setup_s.first_step_s;
  if (first_step_s == 0 && !series.step_s.empty()) first_step_s = series.step_s.front();
}

OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group) {
  OverRanks all{.series = reporting::condense(measured)};
  measured.series = {};
  if (measured.serves) yield_to_ranks(all.series);
  take_largest(all.series, rank_group);
  for (const std::string& bytes : rank_group.control().gather(to_wire(measured))) {
    all.ranks.push_back(from_wire<reporting::RankMeasurement>(bytes));
  }
  average_losses(all.ranks);
  return all;
}

}  // namespace scalemark::running
