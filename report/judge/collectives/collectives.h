// Measured collectives become records here: one run from its ranks, groups over repetitions,
// effects, the backends that win, fits over sizes, findings, and how `comm` ends. Pure: records in,
// records out. Source of every number: docs/METRICS.md, "Collectives".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/record/report.h"
#include "report/record/runs.h"

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

// 83 with wrong elements; 80 when nothing fitted into memory, 2 when a run has failed or only some
// fitted; 78 when nothing that was asked for can run here; else 0: a skipped row beside measured
// ones is an answer.
RunEnd end_of_collectives(const Report& report);

// --- Passes over all pairs of nodes give links with their intervals, and tell which node or link
// is slow.

// One end of links: a node, a rank of a node beside its others, or a rank of the only node.
struct LinkEnd {
  std::string name;  // the host has it; "rank 3" on the only node
  std::optional<int> rank = {};
  std::string device = {};
  int rail = 0;  // the rank's place on its node: only equal ones meet, and are compared
};

// One pair; a value for each pass.
struct PairSamples {
  int a = 0, b = 0;  // indices of ends
  std::vector<double> latency_s = {}, bytes_per_s = {};
  // A small message of each pass that no busy CPU held up: where ranks outnumber CPUs most messages
  // wait for one, and that is no fault of the link. Empty: latency_s judges.
  std::vector<double> quickest_s = {};
};

struct JudgedPairs {
  std::vector<LinkRecord> links;  // medians over passes
  std::vector<Finding> findings;  // findings_of_links(), and the slow ones by name
};

// `between_nodes`: else no network connects the ends, and the limits of links do not hold. Who is
// slow: statistics/slow_links.h. A node all of whose ranks are slow is blamed itself.
JudgedPairs judge_pairs(const std::vector<PairSamples>& pairs, const std::vector<LinkEnd>& ends,
                        bool between_nodes);

}  // namespace scalemark::reporting
