// How far off a prediction may be: quantiles of the errors that the same method made on the
// published series (docs/PREDICTION.md). Pure.
#pragma once

#include <array>
#include <span>

namespace scalemark::prediction {

// One prediction of something that was measured.
struct ForecastError {
  double octaves = 0;         // log2(predicted world size / largest one that was fitted)
  bool assumed_link = false;  // it went over a link level that the fit had not seen
  double log_ratio = 0;       // ln(measured / predicted samples per second)
};

// Factors on the predicted samples per second.
struct Band {
  double low = 1, high = 1;
};

// Share of the errors beyond each end. Series from other sources than the bands' own deviate more:
// about nine in ten of those lie inside (cross-validated in docs/PREDICTION.md).
inline constexpr double kBandTail = 0.025;
inline constexpr std::size_t kBandOctaves = 3;

// By links (all measured or given; one of them assumed) and octaves (up to 1, 2, 3).
struct BandTable {
  std::array<std::array<Band, kBandOctaves>, 2> bands;
};

// Quantiles kBandTail and 1 - kBandTail of each class, never narrower than the class before it
// (fewer octaves; links measured), and never without 1. A class of fewer than 20 errors takes over
// its predecessor's.
BandTable calibrate(std::span<const ForecastError> errors);

// Beyond kBandOctaves the band widens on by the factor of three octaves per three octaves.
Band band_of(const BandTable& table, double octaves, bool assumed_link);

// Calibrated on results/published; a test recalibrates and compares.
const BandTable& published_bands();

}  // namespace scalemark::prediction
