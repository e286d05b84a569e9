// Verdicts on steady windows as clauses for people. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace scalemark::statistics {

// `decay`: index into kDecayLengths. Shares: 0.01 = 1 %.

// "a bias up to 2.13 % could hide (a warm-up as long as the window)"
std::string bound_in_words(std::size_t decay, double bound);

// "step times fall as in a warm-up half as long as the window: their mean is about 1.02 % too
// high"; of a negative bias: "step times rise as in a slowdown ... too low".
std::string decay_in_words(std::size_t decay, double bias);

// "from step 320 on steps take 9.8 % longer"
std::string change_in_words(std::int64_t step, double change);

}  // namespace scalemark::statistics
