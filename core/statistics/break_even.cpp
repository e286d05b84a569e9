#include "core/statistics/break_even.h"

#include <cmath>

namespace scalemark::statistics {

std::optional<std::int64_t> break_even_steps(const Startup& baseline, const Startup& parallel,
                                             double step_s) {
  const double speedup = parallel.samples_per_sec / baseline.samples_per_sec;
  if (!(speedup > 1)) return std::nullopt;
  const double later_s = parallel.setup_s - baseline.setup_s;
  const double gained_s = step_s * (speedup - 1);  // per parallel step
  const double steps = std::ceil(later_s / gained_s);
  if (!(steps > 0)) return 0;
  if (!(steps < 9e15)) return std::nullopt;  // beyond any run, and beyond what a double counts
  return static_cast<std::int64_t>(steps);
}

}  // namespace scalemark::statistics
