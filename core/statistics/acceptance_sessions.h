// Values of one session have something in common. Before values of later sessions are compared with
// those of the first, the difference is taken off that parts show which were decided before.
// Private to acceptance.cpp. All values are logarithms (acceptance.h).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/statistics/acceptance.h"
#include "core/statistics/acceptance_basis.h"

namespace scalemark::statistics {

bool are_finite(Repetitions values);

// A part's values as they are compared: less what their sessions have in common.
struct ComparedPart {
  std::vector<double> values;
  std::vector<std::size_t> sessions;  // one for each value
  // The error of what the values of a session have in common, by session; the first one has none.
  std::map<std::size_t, double> errors;
  bool lacks_controls = false;  // sessions without controls were left out
  bool kept_out = false;        // the reference does without it

  // The error of the mean over the first `runs` values.
  double error_of_sessions(std::size_t runs) const;
};

// All values of each part as they are, and those of its first session alone.
std::vector<ComparedPart> as_measured(std::span<const AcceptancePart> parts);
std::vector<ComparedPart> first_session(std::span<const AcceptancePart> parts);
bool has_later_sessions(std::span<const AcceptancePart> parts);

// Marks parts whose mean is beyond that of every other part by more than -`limit`: a sixteenth of
// them or less.
void keep_out(std::vector<ComparedPart>& parts, double limit);

// Adds to `compared`, which has the first sessions of `parts`, the values of later ones less the
// mean difference of the controls: of parts that `passed`, or of all where a session measured all.
// Its error is that of a mean of these differences, at least what `variance`, that of one
// repetition, explains. Sessions with fewer than kControlsOfSession controls are left out.
void add_later_sessions(std::span<const AcceptancePart> parts, const std::vector<bool>& passed,
                        double variance, std::vector<ComparedPart>& compared);

// --- Parts that are slow now and then: in more runs than the rest of the class explains
// (acceptance_intermittent.cpp).

// Both members have one entry for each part; `runs` counts those surely below the limit for
// themselves.
struct SlowRuns {
  std::vector<std::size_t> runs;
  std::vector<bool> is_intermittent;
};

// A part of kRunsForIntermittent runs or more is intermittent where two or more of them are slow
// and P(Binomial(its runs, q) >= its slow runs) < 1 % / D: any of D sound parts is called so in 1 %
// of classes. q = (1/3 + slow runs) / (33 + runs) of the other parts that have not `failed`: what
// every part shows is no fault of one, and a class without other runs counts as one with a share of
// 1 %. A run is slow by the usual noise, or that of the part's usual runs where it is larger: by
// its standard deviation, a part would hide its slow runs. The basis has a reference and a
// variance.
SlowRuns slow_runs_of(std::span<const ComparedPart> parts, const AcceptanceBasis& basis,
                      double limit, const std::vector<bool>& failed);

}  // namespace scalemark::statistics
