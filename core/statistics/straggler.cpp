#include "core/statistics/straggler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/others.h"
#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kLeastSpread = 0.005;  // where --device-spread says how far devices differ
// Where it does not, healthy devices are taken to differ by this, known with so many degrees.
constexpr double kUsualSpread = 0.005, kUsualDegrees = 2;

using Deviations = std::vector<std::vector<double>>;  // [r][k]: of rank r in run k

Others of_all(const Deviations& deviations) {
  std::vector<double> all;
  for (const auto& of_rank : deviations) all.insert(all.end(), of_rank.begin(), of_rank.end());
  return Others(std::move(all));
}

// Subtracts from each rank's values their mean.
Deviations centred(Deviations deviations) {
  for (auto& of_rank : deviations) {
    const double centre = mean(of_rank);
    for (double& value : of_rank) value -= centre;
  }
  return deviations;
}

// The variance of a value's distance to the median of `others` values, divided by the value's own.
double lifted_by_median(std::size_t others) {
  return 1 + std::min(1.0, std::numbers::pi / 2 / static_cast<double>(others));
}

// A normal value divided by 1.4826 MAD of `others` normal values has a t distribution. Returns its
// degrees of freedom, by a least-squares line through the results of 2,000,000 simulations each:
// 0.9 for 3 values, 2.5 for 7, 5.5 for 15, 11.3 for 31, 23 for 63, for p from 0.05 to 1 %. An even
// number of values counts as the next odd one, and one value has no spread.
double degrees_of_mad(std::size_t others) {
  if (others < 2) return 0;
  return 0.37 * static_cast<double>(others / 2 * 2 + 1) - 0.15;
}

// Returns s, s^2 = (2 (0.5 %)^2 + d MAD^2) / (2 + d) lifted_by_median(): that devices of one kind
// differ by 0.5 % at least counts as two degrees of freedom beside the d of the few ranks.
double moderated_spread(double mad, std::size_t others) {
  const double degrees = degrees_of_mad(others);
  return std::sqrt((kUsualDegrees * kUsualSpread * kUsualSpread + degrees * mad * mad) /
                   (kUsualDegrees + degrees) * lifted_by_median(others));
}

std::vector<double> means_over_runs(const RunsOfRanks& runs) {
  std::vector<double> means(runs.front().size(), 0.0);
  for (const auto& run : runs) {
    for (std::size_t r = 0; r < run.size(); ++r) {
      means[r] += run[r] / static_cast<double>(runs.size());
    }
  }
  return means;
}

// From each value the median of the other ranks in that run is subtracted.
Deviations deviations_of(const RunsOfRanks& runs) {
  Deviations deviations(runs.front().size());
  for (const auto& run : runs) {
    const Others others(run);
    for (std::size_t r = 0; r < run.size(); ++r) {
      deviations[r].push_back(run[r] - others.median({run[r]}));
    }
  }
  return deviations;
}

// A rank is compared with these: the standard deviation of D_r among healthy ranks, that of the
// deviations of single runs, and with how many degrees of freedom both are known (infinite with
// --device-spread). Source: straggler.h.
struct Spreads {
  double of_means, of_runs, degrees;
};

// The spreads that the ranks other than one show.
class SpreadsOfOthers {
 public:
  SpreadsOfOthers(const Deviations& deviations, std::vector<double> means, double device_spread)
      : deviations_(deviations),
        means_(std::move(means)),
        device_spread_(device_spread),
        centred_(centred(deviations)),
        all_means_(means_),
        all_deviations_(of_all(deviations)),
        all_centred_(of_all(centred_)) {}

  Spreads spreads_of(std::size_t rank) const {
    const double of_means = all_means_.spread_by_median({means_[rank]});
    const double of_runs = all_deviations_.spread_by_median(deviations_[rank]);
    const std::size_t others = means_.size() - 1;
    if (!(device_spread_ > 0)) {
      return {moderated_spread(of_means, others), moderated_spread(of_runs, others),
              kUsualDegrees + degrees_of_mad(others)};
    }
    const double devices = device_spread_ * device_spread_ * lifted_by_median(others);
    const double runs = variance_of_runs(rank);
    const auto count = static_cast<double>(deviations_.front().size());
    return {std::max({kLeastSpread, std::sqrt(devices + runs / count), of_means}),
            std::max({kLeastSpread, std::sqrt(devices + runs), of_runs}),
            std::numeric_limits<double>::infinity()};
  }

 private:
  // The variance of a rank's deviations between runs, as the ranks other than `rank` show it.
  double variance_of_runs(std::size_t rank) const {
    const auto runs = static_cast<double>(deviations_.front().size());
    if (runs < 2) return 0;
    const double spread = all_centred_.spread_by_median(centred_[rank]);
    return spread * spread * runs / (runs - 1);
  }

  const Deviations& deviations_;
  std::vector<double> means_;
  double device_spread_;
  Deviations centred_;
  Others all_means_, all_deviations_, all_centred_;
};

constexpr double kSlowerThatCounts = 0.03;
constexpr double kLevel = 0.05;
constexpr std::size_t kSlowRunsThatCount = 2;

std::size_t at_least(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return value >= limit; }));
}

double upper_tail(double value, double degrees) {
  if (std::isinf(degrees)) return normal_upper_tail(value);
  const double both = students_t_two_sided(value, degrees);
  return value > 0 ? both / 2 : 1 - both / 2;
}

double upper_quantile(double level, double degrees) {
  return std::isinf(degrees) ? normal_quantile(1 - level) : students_t_quantile(1 - level, degrees);
}

// Leaves p unadjusted, and the verdict to judge_together(). `level`: the probability of a false
// alarm that each rank may have.
std::vector<RankDelay> delays_of(const RunsOfRanks& runs, double level, double device_spread) {
  const auto deviations = deviations_of(runs);
  const SpreadsOfOthers others(deviations, means_over_runs(runs), device_spread);
  std::vector<RankDelay> delays;
  for (std::size_t r = 0; r < deviations.size(); ++r) {
    const Spreads spreads = others.spreads_of(r);
    RankDelay& delay = delays.emplace_back();
    delay.slower_by = mean(deviations[r]);
    const double beyond = upper_quantile(level, spreads.degrees);
    delay.threshold = std::max(kSlowerThatCounts, beyond * spreads.of_means);
    delay.p = upper_tail(delay.slower_by / spreads.of_means, spreads.degrees);
    delay.slow_runs =
        at_least(deviations[r], std::max(kSlowerThatCounts, beyond * spreads.of_runs));
    if (runs.size() >= kRunsForStraggler) delay.lower_bound = mean_lower_bound(deviations[r]);
  }
  return delays;
}

RankVerdict verdict(const RankDelay& delay, std::size_t ranks) {
  const bool beyond = delay.slower_by >= kSlowerThatCounts && delay.p <= kLevel;
  if (!delay.lower_bound) {
    return beyond ? RankVerdict::kTooFewRuns : RankVerdict::kWithinNoise;
  }
  const bool may_blame = ranks >= kPartsToBlame;
  if (beyond && *delay.lower_bound > 0) {
    return may_blame ? RankVerdict::kStraggler : RankVerdict::kSlower;
  }
  if (delay.slow_runs < kSlowRunsThatCount) return RankVerdict::kWithinNoise;
  return may_blame ? RankVerdict::kIntermittent : RankVerdict::kSlowerAtTimes;
}

std::size_t ranks_of(const RunsOfRanks& runs) {
  if (runs.empty()) return 0;
  const std::size_t ranks = runs.front().size();
  for (const auto& run : runs) {
    if (run.size() != ranks) throw bug("judge_ranks() was given runs of different ranks");
  }
  return ranks < 2 ? 0 : ranks;
}

void judge_together(std::vector<std::vector<RankDelay>>& points) {
  std::vector<double> p;
  for (const auto& point : points) {
    for (const RankDelay& delay : point) p.push_back(delay.p);
  }
  const std::vector<double> all = holm_adjusted(p);
  auto adjusted = all.begin();
  for (auto& point : points) {
    for (RankDelay& delay : point) {
      delay.p = *adjusted++;
      delay.verdict = verdict(delay, point.size());
    }
  }
}

}  // namespace

std::vector<std::vector<RankDelay>> judge_ranks_of_points(std::span<const RunsOfRanks> points,
                                                          double device_spread) {
  std::size_t ranks = 0;
  for (const RunsOfRanks& runs : points) ranks += ranks_of(runs);
  const double level = ranks > 0 ? kLevel / static_cast<double>(ranks) : kLevel;
  std::vector<std::vector<RankDelay>> answers;
  for (const RunsOfRanks& runs : points) {
    answers.emplace_back();
    if (ranks_of(runs) > 0) answers.back() = delays_of(runs, level, device_spread);
  }
  judge_together(answers);
  return answers;
}

std::vector<RankDelay> judge_ranks(const RunsOfRanks& mean_ln_own, double device_spread) {
  if (mean_ln_own.empty()) throw bug("judge_ranks() was given no run");
  return judge_ranks_of_points({&mean_ln_own, 1}, device_spread).front();
}

}  // namespace scalemark::statistics
