#include "core/statistics/steadiness/words.h"

#include <array>
#include <cmath>

#include "core/base/number_words.h"
#include "core/statistics/steadiness/decay_basis.h"

namespace scalemark::statistics {
namespace {

constexpr std::array<const char*, kDecays> kAsLongAs{"a twentieth as long as", "a tenth as long as",
                                                     "a fifth as long as", "half as long as",
                                                     "as long as"};

}  // namespace

std::string bound_in_words(std::size_t decay, double bound) {
  return "a bias up to " + percent(bound, 2) + " could hide (a warm-up " + kAsLongAs.at(decay) +
         " the window)";
}

std::string decay_in_words(std::size_t decay, double bias) {
  const bool falls = bias > 0;
  return std::string("step times ") + (falls ? "fall as in a warm-up " : "rise as in a slowdown ") +
         kAsLongAs.at(decay) + " the window: their mean is about " + percent(std::abs(bias), 2) +
         (falls ? " too high" : " too low");
}

std::string change_in_words(std::int64_t step, double change) {
  return "from step " + std::to_string(step) + " on steps take " + percent(std::abs(change), 2) +
         (change > 0 ? " longer" : " less time");
}

}  // namespace scalemark::statistics
