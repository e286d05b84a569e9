// Passes over all pairs of nodes give links with their intervals, and tell which node or link is
// slow. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// One end of links: a node, a rank of a node beside its others, or a rank of the only node.
struct LinkEnd {
  std::string name;  // of the host; "rank 3" on the only node
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
