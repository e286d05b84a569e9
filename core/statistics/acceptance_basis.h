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

// How well one repetition is known.
struct AcceptanceNoise {
  double variance = 0, degrees = 0;  // degrees of freedom behind it
};

// A part is judged on this basis by its first `runs` repetitions.
struct AcceptanceBasis {
  std::size_t runs = 0;         // a look
  bool reached_by_all = false;  // else the class is known by fewer repetitions
  // The variance of one repetition, pooled over the class; at one run: of the parts' values. Absent
  // where too few parts show it.
  std::optional<double> variance;
  double degrees = 0;  // with so many the pooled variance counts beside a part's own
  double factor = 0;   // half-width divided by standard error, of a part with the usual noise
  // The largest ratio of a part's variance to the pooled one up to which its noise is usual.
  double most_usual = 0;
  double correlation = 0;  // between neighbouring repetitions, where the class shows it
  std::optional<AcceptanceReference> reference;

  // Degrees of freedom of moderated_variance().
  double all_degrees() const { return degrees + static_cast<double>(runs) - 1; }
};

// Returns one for each look. `parts` are finite and have reached the first look. At a look that
// only undecided parts have reached, reference and pooled variance are those of the repetitions
// that all parts have: parts are repeated because they vary or are slow, and by their repetitions
// alone both would be wrong. s_pool^2 is the median of the parts' variances divided by its
// expectation for values whose variances differ so (a quantile of F), below 8 parts their mean.
// degrees: what the variances show of how far the parts' noise differs (prior_degrees()), at most
// 10 and (D - 1)(r - 1) / 2. correlation: correlation_of_starts(). At one run the noise is the
// spread of 8 parts or more.
std::vector<AcceptanceBasis> acceptance_bases(std::span<const Repetitions> parts,
                                              std::span<const std::size_t> looks,
                                              const std::optional<AcceptanceReference>& baseline);

// The k-th highest y0 of D parts' values, k = ceil(0.3 D), each known to within the standard error
// e. standard_error: the number of parts above y0 varies by sum P (1 - P), P = Phi((y - y0) / e),
// and falls with y0 by sum phi((y - y0) / e) / e; it is at most e. lifted_by: noise spreads the
// values, and so lifts the k-th highest, in a normal fleet by z(.7) (o - sqrt(o^2 - e^2)) <= z(.7)
// e^2 / o, o being their spread (by the median absolute deviation, at least e). Needs one value.
AcceptanceReference reference_of_fleet(std::span<const double> values, double error);

// With how many degrees the usual noise counts beside a part's own: d0, so that the logarithms of
// the parts' variances of `degrees` each vary by trigamma(degrees / 2) + trigamma(d0 / 2). What
// they vary by is taken less its own standard error, so that few parts do not show what is not
// there; infinite: no more than chance explains. One part counts with 30 times the median at most.
// Needs 2 variances. Source: Smyth 2004 (acceptance.h), section 6.2.
double prior_degrees(std::span<const double> variances, double degrees);

// The correlation of neighbouring starts: the variance of differences of starts at distance 2
// divided by the largest one at distance 1, less 1, what all parts have in common in a start being
// taken off. 0 where it is below 6.4 / sqrt(D), three standard errors, or fewer than 16 parts or 3
// starts show it.
double correlation_of_starts(std::span<const Repetitions> parts, std::size_t runs);

// s^2 = (d0 s_pool^2 + (r - 1) s_own^2) / (d0 + r - 1), for the r = `runs` repetitions of one part;
// s_own^2 alone where it is larger than that of 999 of 1,000 parts in a class like this: the usual
// noise says nothing of a part that is known to differ. The basis has a variance. Source: Smyth
// 2004 (acceptance.h).
AcceptanceNoise moderated_noise(const AcceptanceBasis& basis, Repetitions repetitions);
// The noise of a part like its class.
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
