#include "core/reporting/point/loss_course.h"

#include <bit>

namespace scalemark::reporting {

bool keeps_loss_at(std::int64_t step) {
  if (step < 1) return false;
  const auto number = static_cast<std::uint64_t>(step);
  const int digits = std::bit_width(number) - std::countr_zero(number);
  return digits <= 4;
}

}  // namespace scalemark::reporting
