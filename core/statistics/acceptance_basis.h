// The noise of a class of parts, and the value that 30 % of a fleet reach as the reference: the
// basis on which one of the parts is judged. All values are logarithms (acceptance.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/acceptance.h"

namespace scalemark::statistics {

using Repetitions = std::span<const double>;  // the values of one part

// The variance of one repetition, and the degrees of freedom with which it is known.
struct AcceptanceNoise {
  double variance = 0, degrees = 0;
};

// A part is judged on this basis by its first `runs` repetitions.
struct AcceptanceBasis {
  std::size_t runs = 0;         // one of AcceptanceRule::looks
  bool reached_by_all = false;  // false: noise and reference are those of an earlier look
  // The variance of one repetition, pooled over the class; where `runs` is 1, that between the
  // parts' values. Absent where too few parts show it.
  std::optional<double> variance;
  // The degrees of freedom for which `variance` counts when it is averaged with a part's own.
  double degrees = 0;
  // How many standard errors half of the interval is, for a part whose noise is usual.
  double factor = 0;
  // The noise of a part is usual up to this ratio of its variance to the pooled one.
  double most_usual = 0;
  double correlation = 0;  // between neighbouring repetitions; 0 where the class shows none
  std::optional<AcceptanceReference> reference;

  // Degrees of freedom of moderated_variance().
  double all_degrees() const { return degrees + static_cast<double>(runs) - 1; }
};

// Returns one basis for each look. `parts` are finite and have reached the first look. At a look
// that only undecided parts have reached, reference and noise are those of the last look that all
// have reached: parts are repeated because they vary or are slow, and from them alone both would be
// wrong. For D parts of r repetitions each:
//   variance     the median of the parts' variances, divided by its expectation for values whose
//                variances differ so (a quantile of F); below 8 parts their mean. For one
//                repetition: the squared spread of the parts' values, from 8 parts on.
//   degrees      how far the parts' noise differs, by prior_degrees(); at most 10, and at most
//                (D - 1)(r - 1) / 2
//   correlation  by correlation_of_starts()
std::vector<AcceptanceBasis> acceptance_bases(std::span<const Repetitions> parts,
                                              std::span<const std::size_t> looks,
                                              const std::optional<AcceptanceReference>& baseline);

// The k-th highest y0 of D parts' values, k = ceil(0.3 D), each known to within the standard error
// e. standard_error: the number of parts above y0 varies by sum P (1 - P), P = Phi((y - y0) / e),
// and falls with y0 by sum phi((y - y0) / e) / e; it is at most e. lifted_by: noise spreads the
// values, and so lifts the k-th highest, in a normal fleet by z(.7) (o - sqrt(o^2 - e^2)) <= z(.7)
// e^2 / o, o being their spread (by the median absolute deviation, at least e). Needs one value.
AcceptanceReference reference_of_fleet(std::span<const double> values, double error);

// Returns the degrees of freedom d0 for which the usual noise counts when it is averaged with a
// part's own. With them, logarithms of variances of `degrees` degrees each have the variance
// trigamma(degrees / 2) + trigamma(d0 / 2). From the variance that `variances` show, its own
// standard error is subtracted, so that a few parts do not show a difference that is not there.
// Infinite: the parts differ no more than chance explains. A variance counts as at most 30 times
// the median. Needs 2 variances. Source: Smyth 2004 (acceptance.h), section 6.2.
double prior_degrees(std::span<const double> variances, double degrees);

// Returns the correlation of neighbouring starts: the mean variance of differences between starts
// at distance 2, divided by the largest such variance at distance 1, less 1. What all parts have in
// common in a start does not count. 0 where the result is below 6.4 / sqrt(D), three standard
// errors, and for fewer than 16 parts or 3 starts.
double correlation_of_starts(std::span<const Repetitions> parts, std::size_t runs);

// Returns s^2 = (d0 s_pool^2 + (r - 1) s_own^2) / (d0 + r - 1), d0 + r - 1 being its degrees of
// freedom: r repetitions of a part have the variance s_own^2, and `basis` has the variance s_pool^2
// and d0 degrees. Where s_own^2 is larger than that of 999 of 1,000 parts in a class like this, it
// counts alone: the usual noise says nothing of a part that is known to differ. The basis has a
// variance. Source: Smyth 2004 (acceptance.h).
AcceptanceNoise moderated_noise(const AcceptanceBasis& basis, Repetitions repetitions);
// Returns the noise of a part that varies as its class does.
AcceptanceNoise usual_noise(const AcceptanceBasis& basis);

// The standard error of the difference to the reference, for a mean over `runs` repetitions of this
// noise each, with what the class shows of their correlation (correlation_of_starts()), and with
// the error of what sessions have in common. The basis has a reference.
double error_of_difference(const AcceptanceBasis& basis, const AcceptanceNoise& noise,
                           std::size_t runs, double error_of_sessions = 0);

// The half-width h of that difference: t(.995) times its error, and what noise may have lifted the
// reference by.
double half_width_of(const AcceptanceBasis& basis, const AcceptanceNoise& noise, std::size_t runs,
                     double error_of_sessions = 0);

}  // namespace scalemark::statistics
