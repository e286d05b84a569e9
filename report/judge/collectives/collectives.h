// Makes records of measured collectives: one run from its ranks, groups over repetitions, effects,
// the backends that win, fits over sizes, findings, and the exit code of `comm`. Pure: records in,
// records out. Source of every number: METRICS.md, "Collectives".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/record/report.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

// With so many calls at least one lies above the quantile.
inline constexpr std::size_t kCallsForP95 = 20, kCallsForP99 = 100;

// Makes one run. `identity` has everything up to the outcome, and the expected bandwidth. `ranks`
// holds one entry per member, in their order; `slowest_of_each_call` holds the seconds of isolated
// calls, each of its slowest rank, and may be empty. With wrong elements the run has failed, and
// its reason names a rank and, where it is known, the rank that the first wrong element came from.
// Throws bug() without a rank.
CollectiveRecord assemble_collective(CollectiveRecord identity,
                                     const std::vector<CollectiveTimes>& ranks,
                                     std::vector<double> slowest_of_each_call);

// Finds wrong elements of one run.
std::vector<Finding> findings_of_collective(const CollectiveRecord& run);

// Finds links above 5 ms or below 10 Gb/s.
std::vector<Finding> findings_of_links(const std::vector<LinkRecord>& links);

// Derives groups, effects, winners, fits and their findings from report.collectives; what an
// earlier call derived is replaced. Does nothing to a report without collectives.
void summarise_collectives(Report& report);

// Returns 83 with wrong elements; 80 when nothing fitted into memory; 2 when a run has failed or
// only some fitted; 78 when nothing that was asked for can run here; else 0. A skipped row beside
// measured ones is an answer, too.
RunEnd end_of_collectives(const Report& report);

// --- Passes over all pairs of nodes give links with their intervals, and show which node or link
// is slow.

// An end of links: a node, a rank of a node among several nodes, or a rank of the only node.
struct LinkEnd {
  std::string name;  // the name of the host; "rank 3" on the only node
  std::optional<int> rank = {};
  std::string device = {};
  int rail = 0;  // the place of the rank on its node: only equal rails meet, and are compared
};

// The times of one pair, with a value for each pass.
struct PairSamples {
  int a = 0, b = 0;  // indices of ends
  std::vector<double> latency_s = {}, bytes_per_s = {};
  // A small message of each pass that no busy CPU delayed: where ranks outnumber CPUs, most
  // messages wait for a CPU, and that is not the link's fault. Empty: latency_s is judged.
  std::vector<double> quickest_s = {};
};

struct JudgedPairs {
  std::vector<LinkRecord> links;  // medians over passes
  std::vector<Finding> findings;  // findings_of_links(), and one for each slow part, by name
};

// `between_nodes`: false means that no network connects the ends, so the limits of links do not
// apply. statistics/slow_links.h decides what is slow. A node is blamed itself if all its ranks are
// slow.
JudgedPairs judge_pairs(const std::vector<PairSamples>& pairs, const std::vector<LinkEnd>& ends,
                        bool between_nodes);

}  // namespace scalemark::reporting
