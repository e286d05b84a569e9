// All values of a session may be shifted by the same amount. Before values of a later session are
// compared with those of the first, that shift is taken off; parts that were decided before show
// it. Private to acceptance.cpp. All values are logarithms (acceptance.h).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/statistics/acceptance.h"
#include "core/statistics/acceptance_basis.h"

namespace scalemark::statistics {

bool are_finite(Repetitions values);

// A part's values as they are compared: less the shifts of their sessions.
struct ComparedPart {
  std::vector<double> values;
  std::vector<std::size_t> sessions;  // one for each value
  // The error of each session's shift, by session; the first one has none.
  std::map<std::size_t, double> errors;
  bool lacks_controls = false;  // values of sessions with too few controls were left out
  bool kept_out = false;        // the reference is made without this part

  // The error that the shifts leave in the mean over the first `runs` values.
  double error_of_sessions(std::size_t runs) const;
};

// as_measured() returns all values of each part as they are, first_session() those of session 0.
std::vector<ComparedPart> as_measured(std::span<const AcceptancePart> parts);
std::vector<ComparedPart> first_session(std::span<const AcceptancePart> parts);
bool has_later_sessions(std::span<const AcceptancePart> parts);

// Marks parts whose mean is beyond that of every other part by more than -`limit`: a sixteenth of
// them or less.
void keep_out(std::vector<ComparedPart>& parts, double limit);

// Adds to `compared`, which has the first sessions of `parts`, the values of later ones less their
// shift: the mean difference between the later session and the first one over the controls, which
// are the parts that `passed`, or all parts where the session measured all. The shift's error is
// that of a mean of these differences, but at least what `variance`, that of one repetition,
// explains. Sessions with fewer than kControlsOfSession controls are left out.
void add_later_sessions(std::span<const AcceptancePart> parts, const std::vector<bool>& passed,
                        double variance, std::vector<ComparedPart>& compared);

// --- Parts that are slow now and then: in more runs than the rest of the class explains
// (acceptance_intermittent.cpp).

// Both members have one entry for each part. `runs` counts the runs that are, each by itself,
// surely below the limit.
struct SlowRuns {
  std::vector<std::size_t> runs;
  std::vector<bool> is_intermittent;
};

// A part of kRunsForIntermittent runs or more is intermittent where two or more of them are slow
// and P(Binomial(its runs, q) >= its slow runs) < 1 % / D: in 1 % of classes one of D sound parts
// is called so. q = (1/3 + slow runs) / (33 + runs) of the other parts that have not `failed`: what
// every part shows is no fault of one, and a class without other runs counts as one with a share of
// 1 %. Whether a run is slow is judged with the usual noise, or with the spread by the median of
// the part's own runs where that is larger; with its standard deviation a part would hide its slow
// runs. The basis has a reference and a variance.
SlowRuns slow_runs_of(std::span<const ComparedPart> parts, const AcceptanceBasis& basis,
                      double limit, const std::vector<bool>& failed);

}  // namespace scalemark::statistics
