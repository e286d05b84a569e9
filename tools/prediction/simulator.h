// A network of queued links, simulated event by event: ranks get ready, messages wait for their
// link, travel, and let their receiver go on. Shares nothing with the formulas of allreduce.h but
// the description of links and layouts: it is what they are checked against, and it answers what
// they cannot: late ranks, slow links, queues.
#pragma once

#include <cstdint>
#include <vector>

#include "core/prediction/topology.h"

namespace scalemark::prediction {

struct SimulatedNetwork {
  Layout layout;  // every node full
  // Within a node each rank has a link of its own to each neighbour. Between nodes each rank has
  // its share of its node's connection: the bandwidth of a node is that of its ranks together.
  Link intra_node, inter_node;
};

struct SimulatedRun {
  double finished_s = 0;            // when the last rank has its result
  std::vector<double> rank_done_s;  // per rank
  std::uint64_t messages = 0;
};

// One all-reduce of `payload_bytes` over all ranks of the network; rank r joins at ready_s[r] (one
// value per rank). A link carries one message at a time, first come first served, each for
// alpha + bytes x beta. `slowdown` stretches every message that rank r sends by slowdown[r]; empty:
// none. Throws bug() for vectors of another length and negative or non-finite numbers.
SimulatedRun simulate_ring(const SimulatedNetwork& network, double payload_bytes,
                           const std::vector<double>& ready_s,
                           const std::vector<double>& slowdown = {});

// Binary trees in `chunks` pieces: ranks of a node under its first rank, nodes under the first
// node.
SimulatedRun simulate_tree(const SimulatedNetwork& network, double payload_bytes, int chunks,
                           const std::vector<double>& ready_s,
                           const std::vector<double>& slowdown = {});

}  // namespace scalemark::prediction
