#include "core/collectives/bandwidth.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/collectives/collective.h"

namespace scalemark::collectives {

std::optional<double> bus_factor(Collective collective, int world_size) {
  const double n = world_size;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (n - 1) / n;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
    case Collective::kGather:
      return (n - 1) / n;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kSendRecv:
      return 1;
    case Collective::kBarrier:
      return std::nullopt;
  }
  throw bug("a collective without a bus factor");
}

std::optional<Bandwidth> bandwidth(Collective collective, int world_size, std::int64_t bytes,
                                   double time_s) {
  const auto factor = bus_factor(collective, world_size);
  if (!factor) return std::nullopt;
  if (!(time_s > 0)) throw bug("a collective took no time");
  const double algbw = static_cast<double>(bytes) / time_s / 1e9;
  return Bandwidth{.algbw_GBps = algbw, .busbw_GBps = algbw * *factor};
}

namespace {

using Bound = std::optional<ExpectedBandwidth>;

constexpr const char* kRingBound = "; bound of a ring: reductions inside the network can exceed it";

ExpectedBandwidth bound_of(double busbw_GBps, const std::string& source) {
  return {busbw_GBps, source};
}

// One way, per lane, after encoding: 8b/10b; from generation 3 on 128b/130b; generation 6 has FLITs
// of 242/256.
std::optional<double> lane_GBps(int generation) {
  switch (generation) {
    case 1:
      return 0.25;
    case 2:
      return 0.5;
    case 3:
      return 8.0 / 8 * 128 / 130;
    case 4:
      return 16.0 / 8 * 128 / 130;
    case 5:
      return 32.0 / 8 * 128 / 130;
    case 6:
      return 64.0 / 8 * 242 / 256;
    default:
      return std::nullopt;
  }
}

// One way, per link, by compute capability.
std::optional<double> nvlink_GBps(int major, int minor) {
  struct Rate {
    int major, minor;
    double GBps;
  };
  static constexpr Rate kRates[] = {{6, 0, 20},      {7, 0, 25}, {8, 0, 25},
                                    {8, 6, 14.0625}, {9, 0, 25}, {10, 0, 50}};
  for (const Rate& rate : kRates) {
    if (rate.major == major && rate.minor == minor) return rate.GBps;
  }
  return std::nullopt;
}

// How often the ring crosses the connection of the busiest node, one way.
int crossings(const DataPath& path) {
  std::vector<int> nodes = path.node_of_member;
  if (path.reorders_ring) std::ranges::sort(nodes);
  std::map<int, int> leaving;
  int most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == nodes[(i + 1) % nodes.size()]) continue;
    most = std::max(most, ++leaving[nodes[i]]);
  }
  return most;
}

// Bytes through the busiest node's connection, one way, for each byte of bus traffic of one rank.
double network_load(Collective collective, const DataPath& path) {
  const auto n = static_cast<double>(path.node_of_member.size());
  std::map<int, int> ranks;
  for (const int node : path.node_of_member) ++ranks[node];
  if (collective == Collective::kGather) {
    return (n - ranks[path.node_of_member[kRoot]]) / (n - 1);
  }
  if (collective != Collective::kAllToAll) return crossings(path);
  double most = 0;
  for (const auto& [node, count] : ranks) most = std::max(most, count * (n - count));
  return most / (n - 1);
}

Bound network_bound(Collective collective, const DataPath& path) {
  const bool one_node = std::ranges::all_of(
      path.node_of_member, [&](int node) { return node == path.node_of_member.front(); });
  if (one_node || !path.network || !(path.network->Gbit_per_s > 0)) return std::nullopt;
  const double GBps = path.network->Gbit_per_s / 8, load = network_load(collective, path);
  const bool measured = path.network->is_measured;
  std::string source = counted(path.network->ports, measured ? "link" : "network port") +
                       " of a node, " + significant(path.network->Gbit_per_s, measured ? 3 : 6) +
                       " Gb/s (" + bandwidth_text(GBps) + ") one way" +
                       (measured ? " as measured" : "");
  if (load != 1) source += ", which " + significant(load, 3) + " x a rank's traffic passes";
  return bound_of(GBps / load, source + kRingBound);
}

Bound nvlink_bound(const DataPath& path) {
  Bound bound;
  if (path.on_gpus && !path.host_staging) bound = nvlink_rate(path);
  if (bound) bound->source += kRingBound;
  return bound;
}

Bound pcie_bound(const DataPath& path) {
  Bound bound;
  if (path.on_gpus) bound = pcie_rate(path);
  if (bound && !path.host_staging) bound->source += kRingBound;
  return bound;
}

// Ranks on the fullest node that write what they receive at the same time.
double receivers(Collective collective, const DataPath& path) {
  std::map<int, int> ranks;
  for (const int node : path.node_of_member) ++ranks[node];
  int most = 0;
  for (const auto& [node, count] : ranks) most = std::max(most, count);
  if (collective == Collective::kGather) return 1;
  const bool one_does_not =
      collective == Collective::kBroadcast || collective == Collective::kReduce;
  return std::max(1, one_does_not && ranks.size() == 1 ? most - 1 : most);
}

Bound memory_bound(Collective collective, const DataPath& path) {
  const bool passed = !path.on_gpus || path.host_staging;
  if (!passed || !path.memory_GBps || !(*path.memory_GBps > 0)) return std::nullopt;
  const double ranks = receivers(collective, path);
  return bound_of(*path.memory_GBps / (2 * ranks),
                  "memory of " + bandwidth_text(*path.memory_GBps) +
                      " (measured here, read + write), each byte read and written once by " +
                      counted(static_cast<std::int64_t>(ranks), "rank") + "; caches can exceed it");
}

// Where GPUs have NVLink, it carries what PCIe would.
Bound gpu_bound(const DataPath& path) {
  const Bound nvlink = nvlink_bound(path);
  return nvlink ? nvlink : pcie_bound(path);
}

}  // namespace

Bound nvlink_rate(const DataPath& path) {
  if (path.nvlinks.value_or(0) < 1 || !path.compute_major) return std::nullopt;
  const auto rate = nvlink_GBps(*path.compute_major, path.compute_minor.value_or(0));
  if (!rate) return std::nullopt;
  return bound_of(*path.nvlinks * *rate, std::to_string(*path.nvlinks) + " NVLinks of " +
                                             bandwidth_text(*rate) + " one way");
}

Bound pcie_rate(const DataPath& path) {
  if (!path.pcie_generation || !path.pcie_lanes) return std::nullopt;
  const auto rate = lane_GBps(*path.pcie_generation);
  if (!rate || *path.pcie_lanes < 1) return std::nullopt;
  return bound_of(*path.pcie_lanes * *rate, "PCIe " + std::to_string(*path.pcie_generation) + " x" +
                                                std::to_string(*path.pcie_lanes) + " one way");
}

Bound expected_busbw(Collective collective, const DataPath& path) {
  if (path.node_of_member.size() < 2 || collective == Collective::kBarrier) return std::nullopt;
  Bound least;
  for (const Bound& bound :
       {network_bound(collective, path), gpu_bound(path), memory_bound(collective, path)}) {
    if (bound && (!least || bound->busbw_GBps < least->busbw_GBps)) least = bound;
  }
  return least;
}

}  // namespace scalemark::collectives
