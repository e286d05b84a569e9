#include "core/statistics/drift.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/statistics/mean_interval.h"
#include "core/statistics/runs.h"

namespace scalemark::statistics {
namespace {

struct Sample {
  double at_s;
  double ln_rate;
};

struct Centred {
  std::vector<Sample> samples;  // of every point around that point's means
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

}  // namespace scalemark::statistics
