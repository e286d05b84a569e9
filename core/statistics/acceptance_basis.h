// The noise of a class of parts, and the value that 30 % of a fleet reach as the reference: the
// basis on which one of the parts is judged. All values are logarithms (acceptance.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/acceptance.h"

namespace scalemark::statistics {

using Repetitions = std::span<const double>;  // of one part

// A part is judged on this basis by its first `runs` repetitions.
struct AcceptanceBasis {
  std::size_t runs = 0;         // a look
  bool reached_by_all = false;  // else the class is known by fewer repetitions
  // The variance of one repetition, pooled over the class; at one run: of the parts' values. Absent
  // where too few parts show it.
  std::optional<double> variance;
  double degrees = 0;  // that the pooled variance counts for beside a part's own
  double factor = 0;   // half-width by standard error
  std::optional<AcceptanceReference> reference;

  // Degrees of freedom of moderated_variance().
  double all_degrees() const { return degrees + static_cast<double>(runs) - 1; }
};

// Returns one for each look. `parts` are finite and have reached the first look. At a look that
// only undecided parts have reached, reference and pooled variance are those of the repetitions
// that all parts have: parts are repeated because they vary or are slow, and by their repetitions
// alone both would be wrong. s_pool^2 is the median of the parts' variances by its expectation for
// normal values, below 8 parts their mean; degrees = min(10, (D - 1)(r - 1) / 2). At one run the
// noise is the spread of 8 parts or more.
std::vector<AcceptanceBasis> acceptance_bases(std::span<const Repetitions> parts,
                                              std::span<const std::size_t> looks,
                                              const std::optional<AcceptanceReference>& baseline);

// The k-th highest y0 of D parts' values, k = ceil(0.3 D), each known to within the standard error
// e. standard_error: the number of parts above y0 varies by sum P (1 - P), P = Phi((y - y0) / e),
// and falls with y0 by sum phi((y - y0) / e) / e; it is at most e. lifted_by: noise spreads the
// values, and so lifts the k-th highest, in a normal fleet by z(.7) (o - sqrt(o^2 - e^2)) <= z(.7)
// e^2 / o, o being their spread (by the median absolute deviation, at least e). Needs one value.
AcceptanceReference reference_of_fleet(std::span<const double> values, double error);

// s^2 = (d0 s_pool^2 + (r - 1) s_own^2) / (d0 + r - 1), for the r = `runs` repetitions of one part.
// The basis has a variance. Source: Smyth 2004 (acceptance.h).
double moderated_variance(const AcceptanceBasis& basis, Repetitions repetitions);

// The standard error of the difference to the reference, for a mean over `runs` repetitions of this
// variance each. The basis has a reference.
double error_of_difference(const AcceptanceBasis& basis, double variance, std::size_t runs);

// The half-width h of that difference: the factor times its error, and what noise may have lifted
// the reference by.
double half_width_of(const AcceptanceBasis& basis, double variance, std::size_t runs);

}  // namespace scalemark::statistics
