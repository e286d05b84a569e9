#include "core/statistics/steadiness/settling.h"

#include <algorithm>
#include <cmath>

#include "core/statistics/mean_interval.h"
#include "core/statistics/steadiness/steady.h"

namespace scalemark::statistics {

bool has_settled(std::span<const double> step_s) {
  if (step_s.size() < kFewestPoints) return true;
  const auto later = step_s.last(std::max(kFewestPoints, step_s.size() / 2));
  const DecayBasis basis = decay_basis(points_of(later.size()));
  const DecayFit fit = fit_decays(basis, points_to_fit(later));
  OfDecays left{};  // at the end, relative
  for (std::size_t k = 0; k < kDecays; ++k) {
    left[k] = fit.bias[k] / basis.decays[k].mean * std::exp(-1 / kDecayLengths[k]);
  }
  const double t = students_t_quantile(kSureOfUnsteady, kNoiseDirections);
  return !clear_decay(fit, t, left);
}

}  // namespace scalemark::statistics
