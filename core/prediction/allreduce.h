// The cost of an all-reduce on idle links, by formula. The simulator must come to the same numbers
// without these formulas.
#pragma once

#include <array>

#include "core/prediction/topology.h"

namespace scalemark::prediction {

enum class Algorithm { kRing, kTree };

// C = sum over levels of messages[l] x alpha[l] + bytes[l] x beta[l]: linear in what is fitted.
struct CostTerms {
  std::array<double, kLevels> messages{}, bytes{};
};

// Ring (Patarasu and Yuan 2009), in each level of its own: reduce-scatter within the node, a ring
// of the nodes for each shard, all-gather within the node. g ranks on each of n nodes, S bytes:
//   2 (g - 1) messages of S / g within the node, 2 (n - 1) of S / n through each node's connection.
// Tree: a binary tree of g ranks in each node, one of the n nodes; S is reduced to the root, then
// broadcast, in `chunks` pieces that follow each other: the first passes all levels, the rest queue
// at the slowest link, which is taken to be the one between nodes. Depth of n: floor(log2 n).
//   2 depth(g) messages of S / chunks within a node, 2 depth(n) between nodes, 2 (chunks - 1)
//   there.
// `chunks` is not used by the ring. All are zero for one rank.
CostTerms allreduce_terms(Algorithm algorithm, Layout layout, double payload_bytes, int chunks);

double cost_s(const CostTerms& terms, const std::array<Link, kLevels>& links);

// Pieces of 512 KiB, 1 to 64 of them: what a tree needs to fill its links.
int chunks_of(double payload_bytes);

}  // namespace scalemark::prediction
