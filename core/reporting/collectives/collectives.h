// Measured collectives become records here: one run from its ranks, groups over repetitions,
// effects, the backends that win, fits over sizes, findings, and how `comm` ends. Pure: records in,
// records out. Source of every number: docs/METRICS.md, "Collectives".
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/report.h"
#include "core/reporting/record/run_end.h"

namespace scalemark::reporting {

inline constexpr std::size_t kCallsForP95 = 20, kCallsForP99 = 100;  // one lies above, at least

// One run. `identity` has everything up to the outcome, and what is expected. `ranks`: one per
// member, in their order; `slowest_of_each_call`: seconds of isolated calls, each of its slowest
// rank; may be empty. With wrong elements the run has failed, and its reason names a rank and,
// where it is known, the rank that the first of them came from. Throws bug() without a rank.
CollectiveRecord assemble_collective(CollectiveRecord identity,
                                     const std::vector<CollectiveTimes>& ranks,
                                     std::vector<double> slowest_of_each_call);

// Finds wrong elements of one run.
std::vector<Finding> findings_of_collective(const CollectiveRecord& run);

// Links above 5 ms or below 10 Gb/s.
std::vector<Finding> findings_of_links(const std::vector<LinkRecord>& links);

// Derives groups, effects, winners, fits and their findings from report.collectives; what an
// earlier call derived is replaced. Does nothing to a report without collectives.
void summarise_collectives(Report& report);

// 83 with wrong elements; 80 when nothing fitted into memory, 2 when a run has failed otherwise; 78
// when nothing that was asked for can run here; else 0: a skipped row beside measured ones is an
// answer.
RunEnd end_of_collectives(const Report& report);

}  // namespace scalemark::reporting
