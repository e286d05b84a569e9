#include "core/prediction/bands.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::prediction {
namespace {

constexpr std::size_t kFewestErrors = 20;

// 0: up to 1 octave; the last class has no upper end.
std::size_t class_of(double octaves) {
  const double up = std::ceil(octaves - 1e-9);
  return static_cast<std::size_t>(std::clamp(up - 1, 0.0, kBandOctaves - 1.0));
}

Band widened(const Band& a, const Band& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Band quantiles(std::vector<double> log_ratios, const Band& fallback) {
  if (log_ratios.size() < kFewestErrors) return fallback;
  std::sort(log_ratios.begin(), log_ratios.end());
  return {std::exp(statistics::quantile_of_sorted(log_ratios, kBandTail)),
          std::exp(statistics::quantile_of_sorted(log_ratios, 1 - kBandTail))};
}

}  // namespace

BandTable calibrate(std::span<const ForecastError> errors) {
  std::array<std::array<std::vector<double>, kBandOctaves>, 2> classes;
  for (const ForecastError& error : errors) {
    classes[error.assumed_link][class_of(error.octaves)].push_back(error.log_ratio);
  }
  BandTable table;
  for (std::size_t assumed = 0; assumed < 2; ++assumed) {
    for (std::size_t octave = 0; octave < kBandOctaves; ++octave) {
      Band least{1, 1};
      if (octave > 0) least = widened(least, table.bands[assumed][octave - 1]);
      if (assumed) least = widened(least, table.bands[0][octave]);
      table.bands[assumed][octave] = widened(least, quantiles(classes[assumed][octave], least));
    }
  }
  return table;
}

Band band_of(const BandTable& table, double octaves, bool assumed_link) {
  const Band band = table.bands[assumed_link][class_of(octaves)];
  const double power = std::max(1.0, octaves / kBandOctaves);
  return {std::pow(band.low, power), std::pow(band.high, power)};
}

const BandTable& published_bands() {
  // Rounded from what scripts/prediction prints.
  static const BandTable table{{{{{{0.876, 1.240}, {0.824, 1.501}, {0.811, 1.501}}},
                                 {{{0.285, 1.240}, {0.285, 1.501}, {0.285, 1.501}}}}}};
  return table;
}

}  // namespace scalemark::prediction
