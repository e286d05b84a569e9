// Several tests at once: p values adjusted so that the chance of any false alarm among them stays
// at the level that is asked for. Knows nothing of what was tested.
#pragma once

#include <span>
#include <vector>

namespace scalemark::statistics {

// Adjusted p values in the order given; compare each with the level (0.05). The i-th smallest of m
// is multiplied by m - i + 1, kept at least at its predecessor's and at most at 1.
// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace scalemark::statistics
