#include "core/statistics/holm.h"

#include <algorithm>
#include <numeric>

namespace scalemark::statistics {

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });

  std::vector<double> adjusted(p.size());
  double at_least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(p.size() - i);
    at_least = std::max(at_least, std::min(1.0, factor * p[order[i]]));
    adjusted[order[i]] = at_least;
  }
  return adjusted;
}

}  // namespace scalemark::statistics
