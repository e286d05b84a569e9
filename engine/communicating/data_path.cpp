#include "engine/communicating/data_path.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "core/base/durations.h"
#include "core/base/wire.h"
#include "core/catalogue/backends.h"
#include "core/planning/collectives/support.h"

namespace scalemark::communicating {
namespace {

constexpr std::size_t kBufferBytes = 64 << 20;
constexpr double kCopying_s = 0.2;

// Counts what this rank copies: read and written bytes.
double copied_bytes_per_s() {
  std::vector<char> from(kBufferBytes, 1), to(kBufferBytes, 2);
  const auto begin = std::chrono::steady_clock::now();
  double copies = 0;
  do {
    std::memcpy(to.data(), from.data(), kBufferBytes);
    from[0] = to[kBufferBytes - 1];  // the next copy needs this one
    ++copies;
  } while (seconds_since(begin) < kCopying_s);
  return 2 * copies * kBufferBytes / seconds_since(begin);
}

template <class T>
void keep_least(std::optional<T>& least, const std::optional<T>& value) {
  if (value && (!least || *value < *least)) least = value;
}

std::optional<double> fastest_nic_Mbit_per_s(const monitoring::Host& host) {
  std::optional<double> fastest;
  for (const monitoring::Nic& nic : host.nics) {
    if (nic.state != "up" || !nic.speed_Mbit_per_s) continue;
    fastest = std::max(fastest.value_or(0), static_cast<double>(*nic.speed_Mbit_per_s));
  }
  return fastest;
}

void add_gpu(collectives::DataPath& path, const monitoring::Gpu& gpu) {
  keep_least(path.pcie_generation, gpu.pcie.generation);
  keep_least(path.pcie_lanes, gpu.pcie.width);
  keep_least(path.nvlinks, gpu.nvlinks);
  path.compute_major = gpu.compute_major;
  path.compute_minor = gpu.compute_minor;
}

}  // namespace

double measure_memory(process::RankContext& context) {
  context.control().barrier();
  const std::string mine = to_wire(std::pair(context.world().node, copied_bytes_per_s()));
  std::map<int, double> of_node;
  for (const std::string& bytes : context.control().all_gather(mine)) {
    const auto [node, bytes_per_s] = from_wire<std::pair<int, double>>(bytes);
    of_node[node] += bytes_per_s;
  }
  const auto slowest =
      std::ranges::min_element(of_node, {}, [](const auto& node) { return node.second; });
  return slowest->second / 1e9;
}

collectives::DataPath data_path(const planning::CollectivePoint& point, settings::DeviceKind device,
                                const KnownMachines& machines) {
  const bool on_gpus = device == settings::DeviceKind::kCuda;
  collectives::DataPath path{
      .node_of_member = {},
      .reorders_ring = catalogue::needs_one_rank_per_gpu(point.backend),
      .on_gpus = on_gpus,
      .host_staging = planning::staging_of(point.backend, device) == collectives::Staging::kHost,
      .memory_GBps = machines.memory_GBps};
  for (const int member : point.members) {
    path.node_of_member.push_back(machines.node_of_rank.at(static_cast<std::size_t>(member)));
  }
  for (const monitoring::Host& host : machines.hosts) {
    keep_least(path.nic_Mbit_per_s, fastest_nic_Mbit_per_s(host));
    for (const monitoring::Gpu& gpu : host.gpus) {
      if (on_gpus) add_gpu(path, gpu);
    }
  }
  return path;
}

}  // namespace scalemark::communicating
