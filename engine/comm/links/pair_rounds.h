// Measures latency and bandwidth between ranks of a group by messages from one to the other: of one
// pair, or of all pairs, as many at once as possible. Knows no hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

#include "engine/device/device.h"
#include "engine/process/rank_group.h"

namespace scalemark::communicating {

struct LinkEffort {
  std::int64_t round_trips = 30;
  std::int64_t most_bytes = 4 << 20;  // bandwidth is measured with messages of at most this size
  double transfers_s = 0.15;          // messages get smaller where kTransfers would take longer

  // Links between GPUs are so fast that starting a transfer takes a tenth of 4 MiB's time.
  static LinkEffort between(bool gpus) {
    return gpus ? LinkEffort{.most_bytes = 32 << 20} : LinkEffort{};
  }
};
inline constexpr int kTransfers = 5;  // messages each way, both ways at once

// `bytes_per_s` is measured while messages go each way at once; it counts one direction, at the
// median time.
struct LinkTime {
  double latency_s = 0;   // half of the median round trip of 8 bytes
  double quickest_s = 0;  // half of the third quickest round trip, which no busy CPU held up
  double bytes_per_s = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<LinkTime>& t) {
  a.values(t.latency_s, t.quickest_s, t.bytes_per_s);
}

// Both ranks call it at once, each naming the other as `peer` (ranks within `group`); each gets its
// own times. The messages lie `on` a device whose memory the group sends from; `device` is the
// rank's own. Throws what c10d throws.
LinkTime probe_link(const c10::intrusive_ptr<c10d::Backend>& group, int peer,
                    device::Device& device, c10::Device on, const LinkEffort& effort = {});

// Each pair is measured once per pass.
struct PairTimes {
  int a = 0, b = 0;  // ranks within the group, a < b
  std::vector<LinkTime> passes;
};

using Rounds = std::vector<std::vector<std::pair<int, int>>>;  // ranks of the group, a < b

// Collective over the group. Each pass runs all rounds; a pair's time is that of its slower rank.
// `between` is called on each rank between two rounds. Rank 0 gets the result; the others get an
// empty list.
std::vector<PairTimes> measure_pairs(process::RankGroup& rank_group, const Rounds& rounds,
                                     int passes, const LinkEffort& effort,
                                     const std::function<void()>& between);

// Collective over the group: one pass over a ring, in which each rank is paired with the next.
// Otherwise like measure_pairs().
std::vector<PairTimes> measure_ring(process::RankGroup& rank_group, const LinkEffort& effort,
                                    const std::function<void()>& between);

}  // namespace scalemark::communicating
