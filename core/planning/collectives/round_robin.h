// The order in which pairs of nodes meet: every node in one pair at a time, every pair once.
#pragma once

#include <utility>
#include <vector>

namespace scalemark::planning {

// Rounds of pairs {a, b}, a < b, of `nodes` nodes from 0: nodes - 1 rounds of nodes / 2 pairs;
// where the number is odd, as many rounds as nodes, and in each another one pauses. The circle
// method of tournaments.
std::vector<std::vector<std::pair<int, int>>> round_robin(int nodes);

// The same rounds of nodes, in which every rank meets the rank at the same place on the other node:
// pairs of ranks {a, b}, a on the node that comes first. A rank whose place the other node lacks
// pauses. `node_of_rank`: nodes from 0.
std::vector<std::vector<std::pair<int, int>>> rail_rounds(const std::vector<int>& node_of_rank);

}  // namespace scalemark::planning
