// Was a measured window steady, or was the machine still warming up or slowing down? Knows nothing
// of clocks or ranks.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace scalemark::statistics {

struct SteadyCheck {
  std::optional<bool> steady;   // absent: unknown, `reason` says why
  std::string reason;           // one clause for people
  std::optional<double> drift;  // (second half - first half) / mean of the window
  std::optional<double> lag1;   // correlation of neighbouring batch means within the halves
  std::optional<double> t_se;   // t(.995, 18) x standard error of the drift, relative
};

// `step_s`: one value per step, in order. The window is cut into 10 + 10 batches.
//   false    the halves differ by more than t(.995, 18) standard errors and by more than 0.5 %,
//            shown by at least 400 steps whose batch means are nearly independent (lag-1 <= 0.3)
//   unknown  they differ, but on fewer steps or correlated ones; or t x SE exceeds 1 %: a drift of
//            that size could not have been seen; or there are fewer than 20 steps
//   true     otherwise
// lag-1 is taken around the mean of each half: around the common mean, the very shift that is
// looked for would count as correlation, and the clearest shifts would end as unknown.
// Source: docs/METRICS.md, "Steady?".
SteadyCheck check_steady(std::span<const double> step_s);

inline constexpr std::size_t kStepsForSteady = 20;
inline constexpr std::size_t kStepsForUnsteady = 400;

}  // namespace scalemark::statistics
