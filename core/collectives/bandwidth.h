// The bandwidth of a collective: from its size and time, as nccl-tests defines it, and the most
// that the way of its data allows. Pure: what is known of the machine arrives as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/collective.h"

namespace scalemark::collectives {

// busbw / algbw: makes collectives and numbers of ranks comparable with the speed of a link. Absent
// for a barrier, which has no data. world_size >= 1; of one rank nothing travels, and the factor of
// what is shared or reduced to all is 0.
//   all-reduce                                        2 (n - 1) / n
//   all-gather, reduce-scatter, all-to-all, gather    (n - 1) / n
//   broadcast, reduce, send-recv (a ring shift)       1
// Source: nccl-tests, doc/PERFORMANCE.md.
std::optional<double> bus_factor(Collective collective, int world_size);

struct Bandwidth {
  double algbw_GBps = 0, busbw_GBps = 0;  // 1e9 bytes per second
};

// `bytes` as nccl-tests counts them, `time_s` of one call, above 0. Absent for a barrier.
std::optional<Bandwidth> bandwidth(Collective collective, int world_size, std::int64_t bytes,
                                   double time_s);

// The network ports that ranks of one node use together, or its links, whose rate was measured.
struct NodeNetwork {
  int ports = 1;
  double Gbit_per_s = 0;  // all of them together, one way
  bool is_measured = false;
};

// The data of a collective passes these links. Unknown values are absent.
struct DataPath {
  std::vector<int> node_of_member;  // one for each member, in the order of their ranks
  bool reorders_ring = false;       // the library puts ranks of one node side by side (NCCL)
  bool on_gpus = false;
  bool host_staging = false;                        // data of GPUs passes the host's memory
  std::optional<int> pcie_generation, pcie_lanes;   // the slowest member's GPU has these
  std::optional<int> nvlinks;                       // each GPU has so many
  std::optional<int> compute_major, compute_minor;  // give the NVLink generation of the GPU
  std::optional<NodeNetwork> network;               // each node has these ports
  std::optional<double> memory_GBps;  // measured on one node, read and written bytes added
};

struct ExpectedBandwidth {
  double busbw_GBps = 0;
  std::string source;  // "31.5 GB/s: PCIe 4 x16 one way; ..."
};

// Return what the links of one GPU carry one way, all of them together: those between GPUs
// (NVLink), and those to its host (PCIe). Absent where it is not known.
std::optional<ExpectedBandwidth> nvlink_rate(const DataPath& path);
std::optional<ExpectedBandwidth> pcie_rate(const DataPath& path);

// The busbw that a collective can reach at most, with the derivation in words: the least of the
// bounds that are known; absent without any, for a barrier and for one member.
//   network   all ports of the busiest node, one way. A ring crosses them as often as
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
