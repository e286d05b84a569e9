#include "engine/communicating/links/pair_rounds.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/base/wire.h"
#include "core/planning/collectives/support.h"

namespace scalemark::communicating {
namespace {

using Pair = std::pair<int, int>;

using Measured = std::pair<Pair, LinkTime>;

void add_slower(std::map<Pair, LinkTime>& times, const std::string& bytes) {
  if (bytes.empty()) return;
  const auto [pair, time] = from_wire<Measured>(bytes);
  const auto [known, is_new] = times.try_emplace(pair, time);
  if (is_new) return;
  known->second.latency_s = std::max(known->second.latency_s, time.latency_s);
  known->second.quickest_s = std::max(known->second.quickest_s, time.quickest_s);
  known->second.bytes_per_s = std::min(known->second.bytes_per_s, time.bytes_per_s);
}

// Gloo's collectives take tensors of a GPU, its messages do not: it hands their addresses to the
// network. A link between hosts is the same from memory of the host.
c10::Device place_of_messages(process::RankGroup& rank_group) {
  const c10::Device own = rank_group.device().torch_device();
  const auto kind = own.is_cuda() ? settings::DeviceKind::kCuda : settings::DeviceKind::kCpu;
  const auto staging = planning::staging_of(rank_group.backend(), kind);
  return staging == collectives::Staging::kHost ? c10::Device(c10::kCPU) : own;
}

std::string measure_round(process::RankGroup& rank_group, const std::vector<Pair>& pairs,
                          const LinkEffort& effort) {
  const int me = rank_group.world().rank;
  rank_group.control().barrier();
  for (const Pair& pair : pairs) {
    if (pair.first != me && pair.second != me) continue;
    const int peer = pair.first == me ? pair.second : pair.first;
    device::Device& device = rank_group.device();
    const auto group = rank_group.group()->getBackend(device.torch_device().type());
    return to_wire(
        Measured(pair, probe_link(group, peer, device, place_of_messages(rank_group), effort)));
  }
  return {};
}

std::map<Pair, LinkTime> measure_pass(process::RankGroup& rank_group, const Rounds& rounds,
                                      const LinkEffort& effort,
                                      const std::function<void()>& between) {
  std::map<Pair, LinkTime> times;
  for (const auto& pairs : rounds) {
    const std::string mine = measure_round(rank_group, pairs, effort);
    for (const std::string& bytes : rank_group.control().gather(mine)) add_slower(times, bytes);
    between();
  }
  return times;
}

// Edges that share no rank: every second one, then the others; of an odd ring the last one alone.
Rounds rounds_of_ring(int ranks) {
  Rounds rounds(3);
  for (int a = 0; a < ranks; ++a) {
    const int b = (a + 1) % ranks;
    if (ranks == 2 && a == 1) continue;
    const bool closes_odd = a == ranks - 1 && ranks % 2 == 1;
    const auto [low, high] = std::minmax(a, b);
    rounds[static_cast<std::size_t>(closes_odd ? 2 : a % 2)].emplace_back(low, high);
  }
  std::erase_if(rounds, [](const auto& round) { return round.empty(); });
  return rounds;
}

}  // namespace

std::vector<PairTimes> measure_pairs(process::RankGroup& rank_group, const Rounds& rounds,
                                     int passes, const LinkEffort& effort,
                                     const std::function<void()>& between) {
  std::map<Pair, PairTimes> all;
  for (int pass = 0; pass < passes; ++pass) {
    for (const auto& [pair, time] : measure_pass(rank_group, rounds, effort, between)) {
      all[pair].passes.push_back(time);
    }
  }
  std::vector<PairTimes> pairs;
  for (auto& [pair, times] : all) {
    pairs.push_back({pair.first, pair.second, std::move(times.passes)});
  }
  return pairs;
}

std::vector<PairTimes> measure_ring(process::RankGroup& rank_group, const LinkEffort& effort,
                                    const std::function<void()>& between) {
  return measure_pairs(rank_group, rounds_of_ring(rank_group.world().world_size), 1, effort,
                       between);
}

}  // namespace scalemark::communicating
