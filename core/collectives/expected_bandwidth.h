// The busbw that a collective can reach at most by what is known of the way its data takes, with
// the derivation in words. Pure: what is known of the machine arrives as numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/collectives/words.h"

namespace scalemark::collectives {

// The data of a collective passes these links. Unknown values are absent.
struct DataPath {
  std::vector<int> node_of_member;  // of each member, in the order of their ranks
  bool reorders_ring = false;       // the library puts ranks of one node side by side (NCCL)
  bool on_gpus = false;
  bool host_staging = false;                        // data of GPUs passes the host's memory
  std::optional<int> pcie_generation, pcie_lanes;   // of the slowest member's GPU
  std::optional<int> nvlinks;                       // of each GPU
  std::optional<int> compute_major, compute_minor;  // of the GPU: tells the NVLink generation
  std::optional<double> nic_Mbit_per_s;             // of each node's network interface
  std::optional<double> memory_GBps;  // of one node, read and written bytes added, measured there
};

struct ExpectedBandwidth {
  double busbw_GBps = 0;
  std::string source;  // "31.5 GB/s: PCIe 4 x16 one way; ..."
};

// The least of the bounds that are known; absent without any, for a barrier and for one member.
//   network   the connection of the busiest node, one way. A ring crosses it as often as
//             neighbours are on different nodes (once where ranks are placed node by node); of an
//             all-to-all pass l (n - l) shares, l ranks being on that node; of a gather what the
//             root's node lacks.
//   NVLink    links x rate of their generation, one way
//   PCIe      lanes x rate of the generation after its encoding, one way
//   memory    each byte is read once and written once by every rank that receives it
// These hold for data that passes links once per step of a ring: a network that reduces by itself
// (NVLink SHARP, InfiniBand SHARP) can exceed them, caches can exceed memory.
// Sources: PCI-SIG (rates and encodings), NVIDIA's datasheets of P100, V100, A100, A40, H100, B200.
std::optional<ExpectedBandwidth> expected_busbw(Collective collective, const DataPath& path);

}  // namespace scalemark::collectives
