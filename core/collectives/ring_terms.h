// A formula tells what a collective sends on the links of its ranks, and what that costs on idle
// links.
#pragma once

#include <array>
#include <cstddef>

#include "core/collectives/words.h"

namespace scalemark::collectives {

// Links within a node, and between nodes.
enum Level { kIntraNode = 0, kInterNode = 1 };
inline constexpr std::size_t kLevels = 2;

// The alpha-beta model (Hockney 1994): a message of n bytes takes alpha_s + n x s_per_byte.
struct Link {
  double alpha_s = 0;
  double s_per_byte = 0;
};
using Links = std::array<Link, kLevels>;

// Equal nodes. The last one may hold fewer ranks; formulas take it as full.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 1;
};

// Seconds = sum over levels of messages[l] x alpha[l] + bytes[l] x beta[l]: linear in what is
// fitted.
struct CostTerms {
  std::array<double, kLevels> messages{}, bytes{};
};

double cost_s(const CostTerms& terms, const Links& links);

// Messages that follow each other, and bytes, at each level, of `bytes` as nccl-tests counts them;
// g ranks on each of n nodes, N in all:
//   all-reduce                  a ring in each level (Patarasu and Yuan 2009): reduce-scatter
//                               within the node, a ring of the nodes for each shard, all-gather
//                               within the node: 2 (g - 1) messages of S / g, 2 (n - 1) of S / n
//                               through each node's connection
//   all-gather, reduce-scatter  half of that: (g - 1) messages of S / g, (n - 1) of S / n
//   broadcast, reduce           a chain in pieces that follow each other: g - 1 (n - 1) latencies,
//   S gather                      into the root: g - 1 messages of S / N, N - g from other nodes
//   all-to-all                  each rank g - 1 messages of S / N; through each node's connection
//                               g (N - g), of which those of one rank follow each other
//   send-recv                   a ring shift: one message of S; on several nodes the one between
//   barrier                     log2, rounded up, messages without data
// All are zero for one rank.
CostTerms ring_terms(Collective collective, Layout layout, double bytes);

}  // namespace scalemark::collectives
