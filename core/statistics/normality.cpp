#include "core/statistics/normality.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kFewestRuns = 4;
constexpr std::size_t kSimulations = 1999;
constexpr std::size_t kMostKept = 1024;          // groups; 32 MB
constexpr std::uint64_t kSeed = 0x6E6F726D616C;  // the same runs always have the same p
constexpr double kNoSpread = 1e-24;              // of ln X, squared: rounding
constexpr double kFurthest = 1 - 1e-12;          // of 1: all other runs equal each other

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

// Absent for a group without a spread.
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

// What normal runs give.
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

// The moments of one group of `size` normal runs in each simulated sweep. `place`: among the groups
// of that size, each with draws of its own.
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

// A sweep that grows has other sizes after each run, and all groups but one as before: each group
// is simulated once.
const Simulated& simulated(std::size_t size, std::size_t place) {
  thread_local std::map<std::pair<std::size_t, std::size_t>, Simulated> known;
  if (known.size() >= kMostKept) known.clear();
  const auto [found, is_new] = known.try_emplace({size, place});
  if (is_new) found->second = simulate(size, place);
  return found->second;
}

// `sizes`: in order.
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

}  // namespace scalemark::statistics
