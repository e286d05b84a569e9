// The numbers of a report themselves may speak against quoting them, whatever its findings are: few
// runs, wide intervals, short windows, waits for data, stops. And how reasons are worded. Pure.
// Source: docs/METRICS.md, "Quotable".
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// Runs of a point from which on their number is no doubt.
inline constexpr int kRunsToQuote = 3;

// Each costs the verdict `with_care`; the code of the finding that says it, or few_runs,
// wide_interval, slow_steps.
struct Doubt {
  std::string code, text, remedy;
};

// The gravest first, each code once.
std::vector<Doubt> doubts_of(const Report& report);

// Whether it is unknown if the windows of a group were steady. A report of an earlier version has
// verdicts on runs only.
bool may_hide_a_bias(const Report& report, const GroupRecord& group);

// "3 of 4 runs", "all 3 runs"; empty where there is one.
std::string some_runs(std::size_t some, int all);

}  // namespace scalemark::reporting
