// Decides how far the numbers of a report are to be trusted, from its findings, by their rows in
// finding_list.inc, and from the numbers themselves. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/record/finding_kinds.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Returns the worst level that any of these costs: findings, the numbers themselves (surety.h), and
// failed runs, whose results the report lacks. Disturbed runs cost `do_not_quote`, unless each
// point has kFitRuns (runs.h) others, from which verdicts are taken. Returns nothing for a report
// without runs, links and values of the machine.
std::optional<Verdict> judged(const Report& report);

// Returns judged() whatever verdict the report contains, since another version had other rules.
// Where the levels differ, one more reason (rejudged_reason) says so. The verdict of a newer
// version, which knows faults that this one does not, is not improved.
std::optional<Verdict> verdict_of(const Report& report);

// Returns "quotable", "quote with care" or "do not quote".
std::string quoting_words(VerdictLevel level);

// The code of the reason that runs are missing: the run was stopped, or some failed.
inline constexpr const char* kIncomplete = "incomplete";

// The code of the reason that says that the level differs from the one in the report.
inline constexpr const char* kJudgedAnew = "judged_anew";
// Returns that reason, or null.
const VerdictReason* rejudged_reason(const Verdict& verdict);

// Adds to a report of an earlier version what this one says about findings and the whole.
void complete_older(Report& report);

// Whether a run with this finding counts towards no verdict (METRICS.md, "Fit").
bool disturbs(std::string_view code);

// Whether the reason or finding `other` makes `code` superfluous for a reader.
bool repeats(std::string_view code, std::string_view other);

// Whether the finding names a part of the machine as bad: a rank, a node, a link.
bool blames_part(const Finding& finding);

}  // namespace scalemark::reporting
