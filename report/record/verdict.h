// How far the numbers of a report are to be trusted, from its findings, by their rows in
// finding_list.inc, and from the numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/record/finding_kinds.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// The worst level that a finding costs, or the numbers themselves (surety.h), or that what the
// report lacks costs: runs that failed. Runs that something disturbed cost `do_not_quote` unless
// each point has kFitRuns (runs.h) others, from which verdicts are taken. Absent for a report
// without runs, links and values of the machine.
std::optional<Verdict> judged(const Report& report);

// judged(), whatever the report says of itself: another version had other rules. Where it says
// another level, a reason more (rejudged_reason) tells so. A newer version knows of faults that
// this one does not: its verdict is not bettered.
std::optional<Verdict> verdict_of(const Report& report);

// "quotable" | "quote with care" | "do not quote"
std::string quoting_words(VerdictLevel level);

// The code of the reason that tells that the level is not the one that was written.
inline constexpr const char* kJudgedAnew = "judged_anew";
// That reason; null where there is none.
const VerdictReason* rejudged_reason(const Verdict& verdict);

// Adds to a report of an earlier version what this one says of findings and of the whole.
void complete_older(Report& report);

// Whether a run with this finding counts towards no verdict (METRICS.md, "Fit").
bool disturbs(std::string_view code);

// Whether a person who reads the reason or finding `other` knows what `code` would say, too.
bool repeats(std::string_view code, std::string_view other);

// Whether it names a part of the machine as bad: a rank, a node, a link.
bool blames_part(const Finding& finding);

}  // namespace scalemark::reporting
