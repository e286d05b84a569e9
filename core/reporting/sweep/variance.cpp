// Where the variance of a point's throughput comes from, and what would narrow its interval: the
// runs of core/statistics/variance_split.h, what they cost, and the sentence that says it.
#include <cmath>

#include "core/base/number_words.h"
#include "core/planning/estimates.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/runs.h"
#include "core/statistics/variance_split.h"

namespace scalemark::reporting {
namespace {

using statistics::Purchase;

statistics::SplitRun split_run(const PointRecord& run) {
  return {.ln_rate = std::log(run.samples_per_sec),
          .steps = statistics::step_noise(run.step_samples_s)};
}

double mean_of(const Runs& runs, double (*value)(const PointRecord&)) {
  double sum = 0;
  for (const PointRecord* run : runs) sum += value(*run) / static_cast<double>(runs.size());
  return sum;
}

double step_s(const PointRecord& run) { return run.wall_s / static_cast<double>(run.iterations); }

// Blocks of --communication-cost have as many steps as the window, and are a fixed cost where the
// window has fewer than they do at least.
double cost_blocks_s(const PointRecord& run) {
  if (!run.noop_step_s) return 0;
  const auto steps = planning::kCostBlocks * planning::cost_block_steps(run.iterations);
  return static_cast<double>(steps) * step_s(run);
}
bool blocks_grow(const PointRecord& run) {
  return run.iterations > planning::kCostBlocks * planning::cost_block_steps(1);
}
double fixed_s(const PointRecord& run) {
  return run.outside_window_s.value_or(0) +
         static_cast<double>(run.warmup_iterations) * step_s(run) +
         (blocks_grow(run) ? 0 : cost_blocks_s(run));
}
double growing_s(const PointRecord& run) {
  return run.wall_s + (blocks_grow(run) ? cost_blocks_s(run) : 0);
}

std::optional<statistics::RunCost> cost_of(const Runs& runs) {
  for (const PointRecord* run : runs) {
    if (!run->outside_window_s || run->iterations < 1) return std::nullopt;
  }
  return statistics::RunCost{mean_of(runs, fixed_s), mean_of(runs, growing_s)};
}

// "runs differ by 0.9 %, steps explain 0.2".
std::string what_differs(const VarianceRecord& variance) {
  const int decimals = variance.between_runs < 0.001 ? 2 : 1;
  return "runs differ by " + percent(variance.between_runs, decimals) + ", steps explain " +
         with_decimals(100 * variance.steps, decimals);
}

std::string sentence(const VarianceRecord& variance, int runs, std::size_t sessions,
                     double saved_share) {
  switch (variance.buy) {
    case Purchase::kRuns:
      return what_differs(variance) + ": longer windows will not help, more runs will";
    case Purchase::kWindows:
      return what_differs(variance) + ": windows of " +
             age_text(variance.best_window_s.value_or(0)) + " instead of " +
             age_text(variance.window_s) + " would give the same interval in " +
             percent(1 - saved_share, 0) + " of the time";
    case Purchase::kSessions:
      if (sessions < statistics::kSessionsForInterval) {
        return what_differs(variance) + ": two sessions give no interval: a third does";
      }
      return "sessions differ by " + percent(variance.sessions.value_or(0)) + ", " +
             what_differs(variance) + ": more runs will not help, more sessions will";
    case Purchase::kUnsure:
      break;
  }
  const std::string what = what_differs(variance);
  if (!variance.run_s) return what;
  return what + ": " + std::to_string(runs) + " runs cannot tell whether longer windows would help";
}

}  // namespace

std::optional<VarianceRecord> variance_of(const Runs& good) {
  std::vector<std::vector<statistics::SplitRun>> sessions;
  for (const Runs& session : by_session(good)) {
    auto& runs = sessions.emplace_back();
    for (const PointRecord* run : session) runs.push_back(split_run(*run));
  }
  const auto split = statistics::split_variance(sessions);
  if (!split || !is_finite(split->beyond_steps_ci95)) return std::nullopt;
  VarianceRecord record{.between_runs = split->between_runs,
                        .steps = split->steps,
                        .beyond_steps = split->beyond_steps,
                        .sessions = split->sessions,
                        .window_s = mean_of(good, [](const auto& run) { return run.wall_s; })};
  record.beyond_steps_ci95 = statistics::bounds_of(split->beyond_steps_ci95);
  record.sessions_ci95 = bounds_of(split->sessions_ci95);
  const auto cost = cost_of(good);
  if (cost) record.run_s = cost->fixed_s;
  const double runs_per_session =
      static_cast<double>(good.size()) / static_cast<double>(sessions.size());
  const auto advice =
      what_to_buy(*split, cost.value_or(statistics::RunCost{}), runs_per_session, sessions.size());
  record.buy = advice.buy;
  if (advice.buy == Purchase::kWindows) {
    record.best_window_s = advice.window_growth * record.window_s;
  }
  record.in_words =
      sentence(record, static_cast<int>(good.size()), sessions.size(), advice.saved_share);
  return record;
}

}  // namespace scalemark::reporting
