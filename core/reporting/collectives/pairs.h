// Passes over all pairs of nodes give links with their intervals, and tell which node or link is
// slow. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// One pair; a value for each pass.
struct PairSamples {
  int a = 0, b = 0;  // indices of names
  std::vector<double> latency_s = {}, bytes_per_s = {};
  // A small message of each pass that no busy CPU held up: where ranks outnumber CPUs most messages
  // wait for one, and that is no fault of the link. Empty: latency_s judges.
  std::vector<double> quickest_s = {};
};

struct JudgedPairs {
  std::vector<LinkRecord> links;  // means over passes
  std::vector<Finding> findings;  // findings_of_links(), and the slow ones by name
};

// `names`: of the nodes, or of the ranks of one node, which no network connects: the limits of
// links do not hold for them. Who is slow: statistics/slow_links.h.
JudgedPairs judge_pairs(const std::vector<PairSamples>& pairs,
                        const std::vector<std::string>& names, bool between_nodes);

}  // namespace scalemark::reporting
