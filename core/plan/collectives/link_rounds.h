// Who meets whom when the links of a fleet are measured: pairs of nodes or ranks, every one in one
// pair at a time, and the drawn parts of a fleet whose ranks exchange at the same time. Pure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/settings/settings.h"

namespace scalemark::planning {

// A list of rounds of pairs {a, b}, a < b, that meet at the same time.
using Rounds = std::vector<std::vector<std::pair<int, int>>>;

// So many nodes meet in all pairs; of more, each meets this many others, so that 1,000 nodes need
// 16 rounds instead of 999.
inline constexpr int kAllMeetUpTo = 64;
inline constexpr int kPartners = 16;

// All pairs of `nodes` nodes from 0: nodes - 1 rounds of nodes / 2 pairs; where the number is odd,
// as many rounds as nodes, in each of which another node pauses. The circle method of tournaments.
Rounds round_robin(int nodes);

// round_robin(nodes) up to kAllMeetUpTo nodes. Of more, kPartners of its rounds over nodes in
// random order: a random regular graph, in which two nodes meet once at most and a slow one shows
// in kPartners links (one fewer where the number is odd and it pauses). It depends on `seed` only.
Rounds pair_rounds(int nodes, std::uint64_t seed);

// The same rounds of nodes, in which every rank meets the rank at the same place on the other node:
// pairs of ranks {a, b}, a on the node that comes first. A rank whose place the other node lacks
// pauses. `node_of_rank`: nodes from 0.
Rounds rail_rounds(const std::vector<int>& node_of_rank, std::uint64_t seed);

// Says how long a pass over all links of these ranks is: between nodes, or on one node between its
// ranks.
struct LinkCount {
  int nodes = 1;
  int ends = 1;  // nodes, or ranks of the only node
  std::int64_t links = 0;
  int rounds = 0;
};

// `node_of_rank`: at least one rank.
LinkCount count_links(const std::vector<int>& node_of_rank, settings::PairBy by,
                      std::uint64_t seed);

// Ranks of the world, ascending, that exchange among themselves while the other parts do.
using Part = std::vector<int>;

// All ranks as one part, then the nodes divided at random into two parts, four, and so on, down to
// parts of two or three nodes: a switch that blocks under full load shows in one of these
// divisions, whichever nodes it serves. All ranks of a node are in one part. Empty for one node.
// It depends on `seed` only.
std::vector<std::vector<Part>> drawn_parts(const std::vector<int>& node_of_rank,
                                           std::uint64_t seed);

}  // namespace scalemark::planning
