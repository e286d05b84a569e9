// Decays matched to a series: by how much each would raise its mean, and how sure that is. Knows
// nothing of what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace scalemark::statistics {

// A decay is e^(-x / L), x from 0 to 1 over the window. These are the L, in windows.
inline constexpr std::array kDecayLengths{0.05, 0.1, 0.2, 0.5, 1.0};
inline constexpr std::size_t kDecays = kDecayLengths.size();
inline constexpr std::size_t kNoiseDirections = 8;
inline constexpr std::size_t kFewestPoints = 20;

using Column = std::vector<double>;  // one value per point

struct Decay {
  Column shape;        // e^(-x / L) less its mean
  double mean = 0;     // the mean of e^(-x / L)
  double squares = 0;  // the sum of the squares of `shape`
};

// The shapes that a window is searched for, and the directions that show how noisy it is: they
// depend on the window's length only.
struct DecayBasis {
  std::array<Decay, kDecays> decays;
  // Orthonormal: constant, x, e^(-x / .05), e^(-x / .2). What is left of a series without them has
  // no trend.
  std::vector<Column> trend;
  // Orthonormal to each other and to `trend`, made of low cosines: what a series has there is noise
  // of low frequency. Of cos(pi k x), k = 1 .. 11, less their part in `trend`, the 8 that a QR
  // decomposition with column pivoting takes first; the others are mostly trend.
  std::vector<Column> noise;
};

// x = (i + 1/2) / points. Throws bug() below kFewestPoints. Source: METRICS.md, "Steady?".
DecayBasis decay_basis(std::size_t points);

using OfDecays = std::array<double, kDecays>;  // one value for each of kDecayLengths

// Correlated values carry what fewer independent ones would: n (1 - phi) / (1 + phi). Below this
// many nothing is claimed of them.
inline constexpr double kFewestIndependent = 32;

// With a smaller bias no window is called unsteady.
inline constexpr double kBiasThatCounts = 0.0025;

struct DecayFit {
  OfDecays bias{};   // relative to the mean: 0.01 means 1 % too high
  OfDecays error{};  // standard error of `bias`; t with kNoiseDirections degrees of freedom
  double independent_values = 0;
};

// Each decay is fitted alone, with a constant: its height h by projection, bias = h mean(e^(-x/L)).
// The standard error is that of noise whose spectrum at frequency 0 is what it is in the basis's
// noise directions. Where that reaches too high a frequency, below kFewestIndependent independent
// values, the spectrum of an AR(1) series counts if it is larger. phi: lag-1 correlation of the
// values without their trend, plus (4 + 4 phi) / n for what the fit takes away, 0 to 0.99.
//
// `values`: as many as the basis has points, their mean above 0. Source: METRICS.md,
// "Steady?".
DecayFit fit_decays(const DecayBasis& basis, const Column& values);

// n (1 - phi) / (1 + phi) of the residuals that a fit of `parameters` parameters left of `values`;
// n where the residuals are only rounding errors.
double independent_values(const Column& residuals, const Column& values, double parameters);

// Returns, among the decays whose |size| exceeds kBiasThatCounts, the one with the largest
// |bias| / error, if that exceeds `t`. `size`: one value per decay, as a rule its bias.
std::optional<std::size_t> clear_decay(const DecayFit& fit, double t, const OfDecays& size);

// The decay with the largest |bias| + t error, as an index into kDecayLengths, and that sum.
struct BiasBound {
  std::size_t decay = 0;
  double bias = 0;
};
BiasBound largest_bound(const OfDecays& bias, const OfDecays& error, double t);

}  // namespace scalemark::statistics
