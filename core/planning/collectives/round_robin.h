// The order in which pairs of nodes meet: every node in one pair at a time, every pair once.
#pragma once

#include <utility>
#include <vector>

namespace scalemark::planning {

// Rounds of pairs {a, b}, a < b, of `nodes` nodes from 0: nodes - 1 rounds of nodes / 2 pairs;
// where the number is odd, as many rounds as nodes, and in each another one pauses. The circle
// method of tournaments.
std::vector<std::vector<std::pair<int, int>>> round_robin(int nodes);

}  // namespace scalemark::planning
