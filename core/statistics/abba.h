// A condition changes a measured value: blocks in the order with, without, without, with show by
// how much. In each such quadruple a linear drift cancels, and what quadruples differ by is the
// uncertainty. Knows nothing of what was measured.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

// The means of a quadruple's two blocks with the condition, and of the two without.
struct AbbaQuadruple {
  double with = 0, without = 0;
};

struct AbbaEstimate {
  double value = 0;
  std::optional<Interval> ci95;  // Student's t over the quadruples; absent for one
};

// `blocks`: one value per block, in the order in which they were measured. Throws bug() unless they
// are one or more whole quadruples.
std::vector<AbbaQuadruple> abba_quadruples(std::span<const double> blocks);

// with - without, in the unit of the blocks: the mean over the quadruples.
AbbaEstimate abba_difference(std::span<const AbbaQuadruple> quadruples);

// without / with: exp of the mean logarithm over the quadruples. Throws bug() for a mean that is
// not above 0.
AbbaEstimate abba_ratio(std::span<const AbbaQuadruple> quadruples);

}  // namespace scalemark::statistics
