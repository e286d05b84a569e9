// The shapes that a window is searched for, and the directions that tell how noisy it is: they
// depend on the window's length only. Knows nothing of what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace scalemark::statistics {

// Of a decay e^(-x / L), x from 0 to 1 over the window: L, in windows.
inline constexpr std::array kDecayLengths{0.05, 0.1, 0.2, 0.5, 1.0};
inline constexpr std::size_t kDecays = kDecayLengths.size();
inline constexpr std::size_t kNoiseDirections = 8;
inline constexpr std::size_t kFewestPoints = 20;

using Column = std::vector<double>;  // one value per point

struct Decay {
  Column shape;        // e^(-x / L) less its mean
  double mean = 0;     // of e^(-x / L)
  double squares = 0;  // sum over `shape`
};

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

// x = (i + 1/2) / points. Throws bug() below kFewestPoints. Source: docs/METRICS.md, "Steady?".
DecayBasis decay_basis(std::size_t points);

}  // namespace scalemark::statistics
