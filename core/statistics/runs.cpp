#include "core/statistics/runs.h"

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

void set_interval(RunsEstimate& estimate, std::span<const double> logs) {
  const auto interval = mean_interval(logs);
  if (!interval) return;
  estimate.ci95 = exponential(*interval);
  estimate.half_width = (estimate.ci95->high - estimate.ci95->low) / 2 / estimate.value;
}

std::optional<double> cv_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  const auto degrees = static_cast<double>(values.size() - 1);
  return std::sqrt(sum_of_squares(values, centre) / degrees) / centre;
}

}  // namespace

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw bug("a rate of " + std::to_string(value) + " reached the statistics over runs");
    }
    logs.push_back(std::log(value));
  }
  return logs;
}

double geometric_mean(std::span<const double> values) { return std::exp(mean(logarithms(values))); }

RunsEstimate estimate_over_runs(std::span<const double> samples_per_sec) {
  if (samples_per_sec.empty()) throw bug("estimate_over_runs() was given no run");
  const std::vector<double> logs = logarithms(samples_per_sec);
  RunsEstimate estimate{.runs = logs.size(), .value = std::exp(mean(logs))};
  set_interval(estimate, logs);
  estimate.cv_between = cv_of(samples_per_sec);
  return estimate;
}

RunsEstimate estimate_over_sessions(std::span<const std::vector<double>> sessions) {
  if (sessions.size() == 1) return estimate_over_runs(sessions.front());
  std::vector<double> all, means;
  for (const std::vector<double>& session : sessions) {
    if (session.empty()) throw bug("a session without a run reached the statistics");
    means.push_back(mean(logarithms(session)));
    all.insert(all.end(), session.begin(), session.end());
  }
  if (all.empty()) throw bug("estimate_over_sessions() was given no session");
  RunsEstimate estimate{.runs = all.size(), .value = std::exp(mean(means))};
  if (means.size() >= kSessionsForInterval) set_interval(estimate, means);
  estimate.cv_between = cv_of(all);
  return estimate;
}

MeanEstimate mean_over_sessions(std::span<const std::vector<double>> sessions) {
  std::vector<double> means;
  for (const std::vector<double>& session : sessions) {
    if (session.empty()) throw bug("a session without a run reached the statistics");
    means.push_back(mean(session));
  }
  if (means.empty()) throw bug("mean_over_sessions() was given no session");
  MeanEstimate estimate{.value = mean(means), .ci95 = std::nullopt};
  if (means.size() == 1) estimate.ci95 = mean_interval(sessions.front());
  if (means.size() >= kSessionsForInterval) estimate.ci95 = mean_interval(means);
  return estimate;
}

RunsEstimate widened(RunsEstimate estimate, std::optional<double> growth) {
  if (!estimate.ci95) return estimate;
  const double half = std::log(estimate.ci95->high / estimate.value);
  estimate.ci95.reset();
  estimate.half_width.reset();
  if (!growth) return estimate;
  const double ratio = std::exp(half * *growth);
  estimate.ci95 = Interval{estimate.value / ratio, estimate.value * ratio};
  estimate.half_width = (ratio - 1 / ratio) / 2;
  return estimate;
}

}  // namespace scalemark::statistics
