// How far ranks are from each other, and how far healthy ones may be. Private to straggler.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "core/statistics/straggler.h"

namespace scalemark::statistics {

using Deviations = std::vector<std::vector<double>>;  // [r][k]

std::vector<double> means_over_runs(const RunsOfRanks& runs);  // by rank

// Own value - median of the other ranks.
Deviations deviations_of(const RunsOfRanks& runs);

// A rank is compared with these: the standard deviation of D_r among healthy ranks, that of the
// deviations of single runs, and with how many degrees of freedom both are known (infinite: said by
// --device-spread). Source: straggler.h.
struct Spreads {
  double of_means, of_runs, degrees;
};
Spreads spreads_of(const Deviations& deviations, const std::vector<double>& means, std::size_t rank,
                   double device_spread);

}  // namespace scalemark::statistics
