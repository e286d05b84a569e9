#include "engine/comm/links/pair_rounds.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/plan/collectives/support.h"

namespace scalemark::communicating {
namespace {

using Group = c10::intrusive_ptr<c10d::Backend>;
using Tensors = std::vector<at::Tensor>;

constexpr std::int64_t kFirst = 2;            // round trips; connections are made in them
constexpr std::size_t kQuickest = 2;          // index of the third quickest
constexpr std::int64_t kSmallest = 16 << 10;  // bytes

Tensors message(std::int64_t bytes, c10::Device device) {
  return {at::zeros({bytes}, at::TensorOptions().dtype(at::kByte).device(device))};
}

template <class Exchange>
double seconds_of(device::Device& device, const Exchange& exchange) {
  device.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  exchange();
  device.synchronize();
  return seconds_since(begin);
}

// Returns the times in ascending order.
template <class Exchange>
std::vector<double> sorted_seconds(std::int64_t count, device::Device& device,
                                   const Exchange& exchange) {
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < count; ++i) seconds.push_back(seconds_of(device, exchange));
  std::ranges::sort(seconds);
  return seconds;
}

double median_of_sorted(const std::vector<double>& seconds) { return seconds[seconds.size() / 2]; }

// The lower rank begins.
void round_trip(const Group& group, int peer, Tensors& tensors) {
  if (group->getRank() < peer) {
    group->send(tensors, peer, 0)->wait();
    group->recv(tensors, peer, 0)->wait();
  } else {
    group->recv(tensors, peer, 0)->wait();
    group->send(tensors, peer, 0)->wait();
  }
}

// The lower rank says which size comes next: four times as large while that fits into the time,
// else the same again, which ends the growth. The rate of small messages is no guide, since
// starting one takes longer than carrying it.
std::int64_t agreed_bytes(const Group& group, int peer, Tensors& number, std::int64_t bytes,
                          double transfer_s, const LinkEffort& effort) {
  if (group->getRank() < peer) {
    const bool fits = 4 * transfer_s < effort.transfers_s / (kTransfers + 1);
    const auto next = fits ? std::min(4 * bytes, std::max(bytes, effort.most_bytes)) : bytes;
    number[0].copy_(at::full({1}, next, at::TensorOptions().dtype(at::kLong)));
    group->send(number, peer, 0)->wait();
  } else {
    group->recv(number, peer, 0)->wait();
  }
  return number[0].item<std::int64_t>();
}

void both_ways(const Group& group, int peer, Tensors& out, Tensors& in) {
  const bool coalesced = out[0].is_cuda();
  if (coalesced) group->startCoalescing();
  const auto sent = group->send(out, peer, 0);
  const auto received = group->recv(in, peer, 0);
  if (coalesced) {
    group->endCoalescing()->wait();
    return;
  }
  sent->wait();
  received->wait();
}

}  // namespace

LinkTime probe_link(const Group& group, int peer, device::Device& device, c10::Device on,
                    const LinkEffort& effort) {
  Tensors number{at::zeros({1}, at::TensorOptions().dtype(at::kLong).device(on))};
  const auto trip = [&] { round_trip(group, peer, number); };
  const auto transfers = [&](std::int64_t bytes) {
    Tensors out = message(bytes, on), in = message(bytes, on);
    const auto transfer = [&] { both_ways(group, peer, out, in); };
    transfer();
    return sorted_seconds(kTransfers, device, transfer);
  };
  LinkTime time;
  for (std::int64_t i = 0; i < kFirst; ++i) trip();
  const auto trips = sorted_seconds(effort.round_trips, device, trip);
  time.latency_s = median_of_sorted(trips) / 2;
  time.quickest_s = trips[std::min(kQuickest, trips.size() - 1)] / 2;
  std::int64_t bytes = kSmallest;
  std::vector<double> seconds = transfers(bytes);
  // The fastest one decides: were the size chosen by one that something held up, it would stay
  // small.
  for (;;) {
    const auto next = agreed_bytes(group, peer, number, bytes, seconds.front(), effort);
    if (next == bytes) break;
    bytes = next;
    seconds = transfers(bytes);
  }
  time.bytes_per_s = static_cast<double>(bytes) / median_of_sorted(seconds);
  return time;
}

namespace {

using Pair = std::pair<int, int>;

using Measured = std::pair<Pair, LinkTime>;

void add_slower(std::map<Pair, LinkTime>& times, const Measured& measured) {
  const auto& [pair, time] = measured;
  const auto [known, is_new] = times.try_emplace(pair, time);
  if (is_new) return;
  known->second.latency_s = std::max(known->second.latency_s, time.latency_s);
  known->second.quickest_s = std::max(known->second.quickest_s, time.quickest_s);
  known->second.bytes_per_s = std::min(known->second.bytes_per_s, time.bytes_per_s);
}

// Gloo's collectives take a GPU's tensors, but its messages do not: they hand the tensors'
// addresses to the network. From the host's memory a link between hosts is the same.
c10::Device place_of_messages(process::RankGroup& rank_group) {
  const c10::Device own = rank_group.device().torch_device();
  const auto kind = own.is_cuda() ? settings::DeviceKind::kCuda : settings::DeviceKind::kCpu;
  const auto staging = planning::staging_of(rank_group.backend(), kind);
  return staging == collectives::Staging::kHost ? c10::Device(c10::kCPU) : own;
}

std::optional<Measured> measure_round(process::RankGroup& rank_group,
                                      const std::vector<Pair>& pairs, const LinkEffort& effort) {
  const int me = rank_group.world().rank;
  rank_group.control().barrier();
  for (const Pair& pair : pairs) {
    if (pair.first != me && pair.second != me) continue;
    const int peer = pair.first == me ? pair.second : pair.first;
    device::Device& device = rank_group.device();
    const auto group = rank_group.group()->getBackend(device.torch_device().type());
    return Measured(pair, probe_link(group, peer, device, place_of_messages(rank_group), effort));
  }
  return {};
}

std::map<Pair, LinkTime> measure_pass(process::RankGroup& rank_group, const Rounds& rounds,
                                      const LinkEffort& effort,
                                      const std::function<void()>& between) {
  std::map<Pair, LinkTime> times;
  for (const auto& pairs : rounds) {
    const auto mine = measure_round(rank_group, pairs, effort);
    for (const auto& one : distributed::gathered(rank_group.control(), mine)) {
      if (one) add_slower(times, *one);
    }
    between();
  }
  return times;
}

// Edges of one round share no rank: every second edge first, then the others; the last edge of an
// odd ring comes alone.
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
