#include <cmath>

#include "core/claims/evidence.h"

namespace scalemark::claims {

std::optional<double> half_width(const std::optional<double>& low,
                                 const std::optional<double>& high) {
  if (!low || !high || !(*low > 0)) return std::nullopt;
  return 0.5 * std::log(*high / *low);
}

void set_interval(Measured& measured, const std::optional<double>& half) {
  if (!half) return;
  measured.low = measured.value * std::exp(-*half);
  measured.high = measured.value * std::exp(*half);
}

std::optional<double> together(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return std::sqrt(*a * *a + *b * *b);  // hypot() would need a newer glibc
}

}  // namespace scalemark::claims
