#include "core/statistics/significance.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });

  std::vector<double> adjusted(p.size());
  double at_least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(p.size() - i);
    at_least = std::max(at_least, std::min(1.0, factor * p[order[i]]));
    adjusted[order[i]] = at_least;
  }
  return adjusted;
}

namespace {

// s^2 / n
double variance_of_mean(std::span<const double> values, double centre) {
  const auto n = static_cast<double>(values.size());
  return sum_of_squares(values, centre) / (n - 1) / n;
}

}  // namespace

double Welch::half_width(double confidence) const {
  return students_t_quantile((1 + confidence) / 2, degrees) * standard_error;
}

Interval Welch::interval(double confidence) const {
  return {difference - half_width(confidence), difference + half_width(confidence)};
}

double Welch::smallest_found(double level, double power) const {
  return half_width(1 - level) + students_t_quantile(power, degrees) * standard_error;
}

Welch welch_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) throw bug("welch_test() needs two values per side");
  const double mean_a = mean(a), mean_b = mean(b);
  const double of_a = variance_of_mean(a, mean_a), of_b = variance_of_mean(b, mean_b);
  const auto degrees_a = static_cast<double>(a.size() - 1);
  const auto degrees_b = static_cast<double>(b.size() - 1);

  Welch test{.difference = mean_b - mean_a, .standard_error = std::sqrt(of_a + of_b)};
  if (test.standard_error == 0) {
    test.degrees = degrees_a + degrees_b;
    test.p = test.difference == 0 ? 1 : 0;
    return test;
  }
  test.degrees =
      (of_a + of_b) * (of_a + of_b) / (of_a * of_a / degrees_a + of_b * of_b / degrees_b);
  test.p = students_t_two_sided(test.difference / test.standard_error, test.degrees);
  return test;
}

namespace {

constexpr std::size_t kFewestRuns = 4;
constexpr std::size_t kSimulations = 1999;
constexpr std::size_t kMostKept = 1024;          // groups; 32 MB
constexpr std::uint64_t kSeed = 0x6E6F726D616C;  // the same runs always have the same p
constexpr double kNoSpread = 1e-24;              // a smaller variance of ln X is rounding
constexpr double kFurthest = 1 - 1e-12;          // at 1 all other runs equal each other

// Sums of z^3 and z^4 over runs.
struct Moments {
  double third = 0, fourth = 0;

  void add(const Moments& more) {
    third += more.third;
    fourth += more.fourth;
  }
  double skewness(double runs) const { return third / runs; }
  double ln_kurtosis(double runs) const { return std::log(fourth / runs); }
};

// A group without a spread has no moments.
std::optional<Moments> moments_of(std::span<const double> group) {
  const auto n = static_cast<double>(group.size());
  const double centre = mean(group), squares = sum_of_squares(group, centre);
  if (!(squares / n > kNoSpread)) return std::nullopt;
  Moments moments;
  const double degrees = n - 2, scale = (8 * degrees + 1) / (8 * degrees + 3);
  for (const double value : group) {
    const double from = value - centre;
    // t^2 / nu = share / (1 - share).
    const double share = std::min(kFurthest, from * from / squares * n / (n - 1));
    const double z2 = -scale * scale * degrees * std::log1p(-share);
    moments.third += std::copysign(z2 * std::sqrt(z2), from);
    moments.fourth += z2 * z2;
  }
  return moments;
}

// How skewness and kurtosis of normal runs are distributed, by simulated sweeps.
struct Null {
  double skewness_spread = 1, kurtosis_centre = 0, kurtosis_spread = 1;
  std::vector<double> distances;

  std::pair<double, double> scores(double skewness, double ln_kurtosis) const {
    return {skewness / skewness_spread, (ln_kurtosis - kurtosis_centre) / kurtosis_spread};
  }
};

using Sizes = std::vector<std::size_t>;

double spread_of(const std::vector<double>& values, double centre) {
  return std::sqrt(sum_of_squares(values, centre) / static_cast<double>(values.size()));
}

using Simulated = std::vector<Moments>;  // one for each simulated sweep

// The moments of one group of `size` normal runs in each simulated sweep. `place` is its number
// among the groups of that size, each of which has draws of its own.
Simulated simulate(std::size_t size, std::size_t place) {
  boost::random::mt19937_64 random(kSeed + (place << 32) + size);
  boost::random::normal_distribution<double> normal;
  Simulated sweeps;
  std::vector<double> group(size);
  while (sweeps.size() < kSimulations) {
    for (double& value : group) value = normal(random);
    if (const auto moments = moments_of(group)) sweeps.push_back(*moments);
  }
  return sweeps;
}

// Simulates each group once: when a sweep grows by a run, all groups but one stay as they were.
const Simulated& simulated(std::size_t size, std::size_t place) {
  thread_local std::map<std::pair<std::size_t, std::size_t>, Simulated> known;
  if (known.size() >= kMostKept) known.clear();
  const auto [found, is_new] = known.try_emplace({size, place});
  if (is_new) found->second = simulate(size, place);
  return found->second;
}

// `sizes` is sorted.
Null null_of(const Sizes& sizes) {
  Simulated sweeps(kSimulations);
  double runs = 0;
  for (std::size_t i = 0, place = 0; i < sizes.size(); ++i) {
    place = i > 0 && sizes[i] == sizes[i - 1] ? place + 1 : 0;
    const Simulated& group = simulated(sizes[i], place);
    for (std::size_t s = 0; s < kSimulations; ++s) sweeps[s].add(group[s]);
    runs += static_cast<double>(sizes[i]);
  }
  std::vector<double> skewness, kurtosis;
  for (const Moments& sweep : sweeps) {
    skewness.push_back(sweep.skewness(runs));
    kurtosis.push_back(sweep.ln_kurtosis(runs));
  }
  Null null{.skewness_spread = spread_of(skewness, 0), .kurtosis_centre = mean(kurtosis)};
  null.kurtosis_spread = spread_of(kurtosis, null.kurtosis_centre);
  for (std::size_t i = 0; i < kSimulations; ++i) {
    const auto [s, k] = null.scores(skewness[i], kurtosis[i]);
    null.distances.push_back(s * s + k * k);
  }
  return null;
}

}  // namespace

std::optional<Normality> check_normality(std::span<const std::vector<double>> groups) {
  Sizes sizes;
  Moments all;
  std::size_t runs = 0;
  for (const auto& group : groups) {
    const auto moments = group.size() < kFewestRuns ? std::nullopt : moments_of(group);
    if (!moments) continue;
    all.add(*moments);
    sizes.push_back(group.size());
    runs += group.size();
  }
  if (sizes.empty()) return std::nullopt;
  std::ranges::sort(sizes);
  const Null null = null_of(sizes);
  const auto n = static_cast<double>(runs);
  const auto [skewness_z, kurtosis_z] = null.scores(all.skewness(n), all.ln_kurtosis(n));
  const double distance = skewness_z * skewness_z + kurtosis_z * kurtosis_z;
  const auto as_far =
      std::ranges::count_if(null.distances, [=](double d) { return d >= distance; });
  return Normality{runs, skewness_z, kurtosis_z,
                   (static_cast<double>(as_far) + 1) / (static_cast<double>(kSimulations) + 1)};
}

namespace {

constexpr double kTwoLevelsLevel = 0.05;

// How many of the sorted values lie below the largest gap.
std::size_t below_largest_gap(std::span<const double> sorted) {
  std::size_t below = 1;
  for (std::size_t i = 2; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > sorted[below] - sorted[below - 1]) below = i;
  }
  return below;
}

// An upper bound on the probability that runs of one level, split into two sides in whichever way
// makes them differ most, differ by `difference`: a t-test's P times the number of splits. Where
// neither side spreads: 0, or 1 if they do not differ.
double chance_of(std::span<const double> slow, std::span<const double> fast, double difference) {
  const auto n = static_cast<double>(slow.size()), m = static_cast<double>(fast.size());
  const double squares = sum_of_squares(slow, mean(slow)) + sum_of_squares(fast, mean(fast));
  if (!(squares > 0)) return difference > 0 ? 0 : 1;
  const double degrees = n + m - 2;
  const double t = difference / std::sqrt(squares / degrees * (1 / n + 1 / m));
  // From R = 1,025 on no double holds 2^(R - 1), and P of so many runs is mostly too small for one.
  const double ways = (n + m - 1) * std::numbers::ln2 + std::log1p(-std::exp2(1 - n - m));
  return std::exp(std::min(0.0, ways + ln_students_t_two_sided(t, degrees)));
}

Levels levels_of(const std::vector<double>& rates) {
  std::vector<double> logs = logarithms(rates);
  std::ranges::sort(logs);
  const std::size_t below = below_largest_gap(logs);
  const auto slow = std::span(logs).first(below), fast = std::span(logs).subspan(below);
  Levels levels{.runs = logs.size(), .slow_runs = below, .gap = logs[below] - logs[below - 1]};
  levels.slower_by = mean(fast) - mean(slow);
  levels.p = chance_of(slow, fast, levels.slower_by);
  return levels;
}

}  // namespace

std::vector<std::optional<Levels>> judge_levels(std::span<const std::vector<double>> series) {
  std::vector<std::optional<Levels>> answers;
  std::vector<double> p;
  for (const std::vector<double>& rates : series) {
    auto& answer = answers.emplace_back();
    if (rates.size() < kRunsForLevels) continue;
    answer = levels_of(rates);
    p.push_back(answer->p);
  }
  const std::vector<double> all = holm_adjusted(p);
  auto adjusted = all.begin();
  for (auto& answer : answers) {
    if (!answer) continue;
    answer->p = *adjusted++;
    answer->two = answer->p <= kTwoLevelsLevel && answer->gap > kGapThatCounts;
  }
  return answers;
}

double share_that_may_be_missed(std::size_t runs, double confidence) {
  return 1 - std::pow(1 - confidence, 1 / static_cast<double>(runs));
}

}  // namespace scalemark::statistics
