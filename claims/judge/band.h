// A row claims a range, which a measured number meets or not. Pure. The rule stands in
// docs/PUBLISHED.md, "How a claim is judged".
#pragma once

#include <optional>
#include <string>

#include "claims/judge/evidence.h"
#include "claims/rows/row.h"
#include "report/record/comparison.h"

namespace scalemark::claims {

// A claimed range; an open end is nullopt.
struct Claimed {
  std::optional<double> low, high;
};

// `tolerance` widens both ends. A claim without a measured interval is kUndecided; a rate
// (at_least) is either reached or not.
reporting::ClaimVerdict verdict_of(const Measured& measured, const Claimed& claimed,
                                   double tolerance, reporting::ClaimBasis basis, bool is_rate);

// The share by which the ends of a claim are widened, and its source.
struct Tolerance {
  double share = 0;
  std::string source;
};

// `is_rate`: the row claims an absolute throughput.
Tolerance tolerance_of(const published::Row& row, bool is_rate);

Claimed claimed_by(const published::Row& row);

// Whether a row claims an absolute number of a machine and not a ratio: such a claim has one side,
// at least this throughput or at most this latency.
bool is_absolute(const published::Row& row);

// Returns `value` where the claim is a closed range that contains it, else the nearer end of the
// claim.
double nearest_end(const Claimed& claimed, double value);

// For an undecided claim, says how many repetitions would bring the interval clear of the nearest
// end, or what else is missing.
std::string what_would_decide(const Measured& measured, const Claimed& claimed, double tolerance);

// Judges a claim on bytes, or one on communication whose source leaves open whether it means time,
// by the bytes of the busiest link (catalogue::Strategy): they are the same on any machine, for the
// claim's number of ranks. One that names none is told for several, and holds where it holds for
// each. `claim` has its row, its metric and what is claimed. Returns false for any other claim.
bool judge_by_count(const published::Row& row, reporting::ClaimRecord& claim);

}  // namespace scalemark::claims
