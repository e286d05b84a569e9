#include "core/statistics/runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/base/error.h"
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

namespace {

struct Sample {
  double at_s;
  double ln_rate;
};

struct Centred {
  std::vector<Sample> samples;  // each less the means of its own point
  std::size_t points = 0;
};

Centred centre_points(std::span<const TimedRun> runs) {
  std::map<std::size_t, std::vector<Sample>> by_point;
  for (const TimedRun& run : runs) {
    by_point[run.point].push_back({run.at_s, logarithms({&run.samples_per_sec, 1}).front()});
  }
  Centred centred{.points = by_point.size()};
  for (const auto& [point, samples] : by_point) {
    Sample centre{0, 0};
    for (const Sample& sample : samples) {
      centre.at_s += sample.at_s / static_cast<double>(samples.size());
      centre.ln_rate += sample.ln_rate / static_cast<double>(samples.size());
    }
    for (const Sample& sample : samples) {
      centred.samples.push_back({sample.at_s - centre.at_s, sample.ln_rate - centre.ln_rate});
    }
  }
  return centred;
}

double duration_s(std::span<const TimedRun> runs) {
  const auto [first, last] = std::ranges::minmax_element(runs, {}, &TimedRun::at_s);
  return last->at_s - first->at_s;
}

}  // namespace

std::optional<Drift> estimate_drift(std::span<const TimedRun> runs) {
  const Centred centred = centre_points(runs);
  if (centred.samples.size() < centred.points + 3) return std::nullopt;

  double time_squares = 0, together = 0, residual_squares = 0;
  for (const Sample& sample : centred.samples) {
    time_squares += sample.at_s * sample.at_s;
    together += sample.at_s * sample.ln_rate;
  }
  if (time_squares == 0) return std::nullopt;
  const double slope = together / time_squares;
  for (const Sample& sample : centred.samples) {
    residual_squares += std::pow(sample.ln_rate - slope * sample.at_s, 2);
  }
  const auto degrees = static_cast<double>(centred.samples.size() - centred.points - 1);
  const double half_width =
      students_t_quantile(0.975, degrees) * std::sqrt(residual_squares / degrees / time_squares);

  const double sweep_s = duration_s(runs);
  Drift drift{.per_sweep = std::expm1(slope * sweep_s),
              .ci95 = {std::expm1((slope - half_width) * sweep_s),
                       std::expm1((slope + half_width) * sweep_s)}};
  const bool excludes_zero = drift.ci95.low > 0 || drift.ci95.high < 0;
  drift.finding = excludes_zero && std::abs(drift.per_sweep) > kDriftWorthSaying;
  return drift;
}

namespace {

constexpr double kCorrelationLevel = 0.05;
constexpr double kMostCorrelated = 0.99;

std::vector<TimedRun> in_time_order(std::span<const TimedRun> runs) {
  std::vector<TimedRun> ordered(runs.begin(), runs.end());
  std::ranges::stable_sort(ordered, {}, &TimedRun::at_s);
  return ordered;
}

// Subtracts from each value the mean of its point.
std::vector<double> centred(std::span<const TimedRun> runs, std::vector<double> values,
                            const std::map<std::size_t, double>& counts) {
  std::map<std::size_t, double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    means[runs[i].point] += values[i] / counts.at(runs[i].point);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= means[runs[i].point];
  return values;
}

// sum over i of M_i,i+1 for the fit's M = 1 - means of points - slope over `time`.
double neighbours_of_fit(std::span<const TimedRun> runs, const std::vector<double>& time,
                         const std::map<std::size_t, double>& counts) {
  double sum = -sum_over_neighbours(time) / dot(time, time);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1].point == runs[i].point) sum -= 1 / counts.at(runs[i].point);
  }
  return sum;
}

}  // namespace

std::optional<RunCorrelation> correlation_of_runs(std::span<const TimedRun> runs) {
  const auto ordered = in_time_order(runs);
  std::map<std::size_t, double> counts;
  std::vector<double> times, logs;
  for (const TimedRun& run : ordered) {
    ++counts[run.point];
    times.push_back(run.at_s);
    logs.push_back(std::log(run.samples_per_sec));
  }
  if (ordered.size() < counts.size() + 3) return std::nullopt;
  const auto time = centred(ordered, times, counts);
  auto residuals = centred(ordered, logs, counts);
  const double time_squares = dot(time, time);
  if (!(time_squares > 0)) return std::nullopt;
  const double slope = dot(time, residuals) / time_squares;
  for (std::size_t i = 0; i < time.size(); ++i) residuals[i] -= slope * time[i];
  const double squares = dot(residuals, residuals);
  if (!(squares > 0)) return std::nullopt;

  const auto n = static_cast<double>(ordered.size());
  const double degrees = n - static_cast<double>(counts.size()) - 1;
  const double expected = neighbours_of_fit(ordered, time, counts) / degrees;
  const double above = sum_over_neighbours(residuals) / squares - expected;
  return RunCorrelation{std::clamp(above, -kMostCorrelated, kMostCorrelated),
                        above * std::sqrt(n) > normal_quantile(1 - kCorrelationLevel)};
}

std::optional<double> interval_growth(std::span<const double> places, double lag1) {
  const auto runs = static_cast<double>(places.size());
  double variance = 0;  // the mean's variance, relative to that of independent runs
  for (const double one : places) {
    for (const double other : places) variance += std::pow(lag1, std::abs(one - other)) / runs;
  }
  if (places.size() < 2 || !(variance < runs)) return std::nullopt;
  return std::sqrt(variance * (runs - 1) / (runs - variance));
}

}  // namespace scalemark::statistics
