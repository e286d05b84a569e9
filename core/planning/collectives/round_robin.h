// The order in which pairs of nodes meet: every node in one pair at a time, every pair once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/settings/closed_words.h"

namespace scalemark::planning {

// Rounds of pairs {a, b}, a < b, of `nodes` nodes from 0: nodes - 1 rounds of nodes / 2 pairs;
// where the number is odd, as many rounds as nodes, and in each another one pauses. The circle
// method of tournaments.
std::vector<std::vector<std::pair<int, int>>> round_robin(int nodes);

// The same rounds of nodes, in which every rank meets the rank at the same place on the other node:
// pairs of ranks {a, b}, a on the node that comes first. A rank whose place the other node lacks
// pauses. `node_of_rank`: nodes from 0.
std::vector<std::vector<std::pair<int, int>>> rail_rounds(const std::vector<int>& node_of_rank);

// Says how long a pass over all links of these ranks is: between nodes, or on one node between its
// ranks.
struct LinkCount {
  int nodes = 1;
  std::int64_t links = 0;
  int rounds = 0;
};

// Counts the rounds above without listing their pairs, of which large fleets have millions.
// `node_of_rank`: at least one rank.
LinkCount count_links(const std::vector<int>& node_of_rank, settings::PairBy by);

}  // namespace scalemark::planning
