// A baseline fleet shows of one check the value that 30 % of its parts reach, how well that is
// known, and how far one part's values differ between starts and boots. All values are logarithms
// (acceptance.h). Knows nothing of reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/acceptance.h"

namespace scalemark::statistics {

// The values of one part: a list for each boot, with a value for each start. No list is empty.
using BootedPart = std::vector<std::vector<double>>;

// With fewer parts or boots a baseline counts as rougher than its values show.
inline constexpr std::size_t kPartsOfBaseline = 8, kBootsOfBaseline = 2;

// The spreads are standard deviations in ln: 0.01 is 1 %. between_parts is that of the parts'
// means, from 8 parts on by the median deviation. between_starts is that of one part within a boot,
// and between_boots that of one part beyond what its starts explain; both are pooled.
struct AcceptanceBaseline {
  AcceptanceReference reference;
  std::size_t boots = 0;  // how many each part has: the lower median over the parts
  std::optional<double> between_parts;
  std::optional<double> between_starts;
  std::optional<double> between_boots;
};

// y0: the k-th highest of the D parts' means over their boots, k = ceil(0.3 D), lifted by noise as
// reference_of_fleet() says. Its standard error squared is
//   (w s sqrt(.21) / phi(z(.7)) / sqrt(D))^2 + s_boot^2 / B,
// the sampling error of the 70 % quantile of normal values and that of what the boots of all parts
// have in common. s: the spread between parts, with fewer than 8 at least 1 %; w = t(.995, D - 1) /
// z(.995), with fewer than 8 that of 8, since s is known by D parts only. s_boot, which is
// between_boots of the reference: measured, by the mean squares of boots and starts (unweighted
// means); of fewer than 2 boots at least 0.5 % and the spread between starts. Needs one part.
// Source of the quantile's error: David and Nagaraja 2003, section 10.2.
AcceptanceBaseline baseline_of(std::span<const BootedPart> parts);

}  // namespace scalemark::statistics
