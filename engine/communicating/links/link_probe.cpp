#include "engine/communicating/links/link_probe.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/base/durations.h"

namespace scalemark::communicating {
namespace {

using Group = c10::intrusive_ptr<c10d::Backend>;
using Tensors = std::vector<at::Tensor>;

constexpr std::int64_t kFirst = 2;            // round trips; connections are made in them
constexpr std::size_t kQuickest = 2;          // the third
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

// Ascending.
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

// The lower rank says which size fits, from what the smallest one took.
std::int64_t agreed_bytes(const Group& group, int peer, Tensors& number, double smallest_s,
                          const LinkEffort& effort) {
  if (group->getRank() < peer) {
    const double fit = effort.transfers_s / (kTransfers + 1) / std::max(smallest_s, 1e-9);
    const auto bytes = static_cast<std::int64_t>(std::min(fit, 1e6) * kSmallest);
    const auto fitting = std::clamp(bytes, kSmallest, std::max(kSmallest, effort.most_bytes));
    number[0].copy_(at::full({1}, fitting, at::TensorOptions().dtype(at::kLong)));
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
  // The fastest small one: were the size chosen by one that something held up, so small a message
  // would measure latency once more.
  const auto bytes = agreed_bytes(group, peer, number, transfers(kSmallest).front(), effort);
  time.bytes_per_s = static_cast<double>(bytes) / median_of_sorted(transfers(bytes));
  return time;
}

}  // namespace scalemark::communicating
