#include "core/statistics/normality.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kFewestRuns = 4;
constexpr std::size_t kSimulations = 1999;
constexpr std::uint64_t kSeed = 0x6E6F726D616C;  // the same runs always have the same p
constexpr double kNoSpread = 1e-24;              // of ln X, squared: rounding
constexpr double kFurthest = 1 - 1e-12;          // of 1: all other runs equal each other

// Sums of z^3 and z^4 over groups.
class Moments {
 public:
  // False for a group without a spread.
  bool add(std::span<const double> group) {
    const auto n = static_cast<double>(group.size());
    const double centre = mean(group), squares = sum_of_squares(group, centre);
    if (!(squares / n > kNoSpread)) return false;
    const double degrees = n - 2, scale = (8 * degrees + 1) / (8 * degrees + 3);
    for (const double value : group) {
      const double from = value - centre;
      // t^2 / nu = share / (1 - share).
      const double share = std::min(kFurthest, from * from / squares * n / (n - 1));
      const double z2 = -scale * scale * degrees * std::log1p(-share);
      third_ += std::copysign(z2 * std::sqrt(z2), from);
      fourth_ += z2 * z2;
    }
    runs_ += group.size();
    return true;
  }

  std::size_t runs() const { return runs_; }
  double skewness() const { return third_ / static_cast<double>(runs_); }
  double ln_kurtosis() const { return std::log(fourth_ / static_cast<double>(runs_)); }

 private:
  std::size_t runs_ = 0;
  double third_ = 0, fourth_ = 0;
};

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

Null simulate(const Sizes& sizes) {
  boost::random::mt19937_64 random(kSeed);
  boost::random::normal_distribution<double> normal;
  std::vector<double> skewness, kurtosis, group;
  for (std::size_t i = 0; i < kSimulations; ++i) {
    Moments moments;
    for (const std::size_t size : sizes) {
      group.resize(size);
      for (double& value : group) value = normal(random);
      moments.add(group);
    }
    skewness.push_back(moments.skewness());
    kurtosis.push_back(moments.ln_kurtosis());
  }
  Null null{.skewness_spread = spread_of(skewness, 0), .kurtosis_centre = mean(kurtosis)};
  null.kurtosis_spread = spread_of(kurtosis, null.kurtosis_centre);
  for (std::size_t i = 0; i < kSimulations; ++i) {
    const auto [s, k] = null.scores(skewness[i], kurtosis[i]);
    null.distances.push_back(s * s + k * k);
  }
  return null;
}

// Most calls ask for the sizes of the call before.
const Null& null_of(const Sizes& sizes) {
  thread_local Sizes known;
  thread_local Null null;
  if (known != sizes) {
    null = simulate(sizes);
    known = sizes;
  }
  return null;
}

}  // namespace

std::optional<Normality> check_normality(std::span<const std::vector<double>> groups) {
  Sizes sizes;
  Moments moments;
  for (const auto& group : groups) {
    if (group.size() >= kFewestRuns && moments.add(group)) sizes.push_back(group.size());
  }
  if (sizes.empty()) return std::nullopt;
  std::ranges::sort(sizes);
  const Null& null = null_of(sizes);
  const auto [skewness_z, kurtosis_z] = null.scores(moments.skewness(), moments.ln_kurtosis());
  const double distance = skewness_z * skewness_z + kurtosis_z * kurtosis_z;
  const auto as_far =
      std::ranges::count_if(null.distances, [=](double d) { return d >= distance; });
  return Normality{moments.runs(), skewness_z, kurtosis_z,
                   (static_cast<double>(as_far) + 1) / (static_cast<double>(kSimulations) + 1)};
}

}  // namespace scalemark::statistics
