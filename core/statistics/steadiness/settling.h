// Has a warm-up come to its end, by the times of its steps so far? Knows nothing of clocks or
// ranks.
#pragma once

#include <span>

namespace scalemark::statistics {

// `step_s`: one value per step, or per group of equally many, in order, each above 0. The later
// half of them is looked at, at least the last 20: the first steps load libraries and choose
// algorithms, which no decay describes. False while a decay there has |t| > t(.992, 8) and what is
// left of it at the end, h e^(-1 / L), exceeds 0.25 % of the level; also where steps become longer,
// as of a chip that grows hot. True for fewer than 20.
bool has_settled(std::span<const double> step_s);

}  // namespace scalemark::statistics
