// Latency and bandwidth between ranks of a group, by messages of one to the other: of one pair, and
// of all pairs, as many at once as can be. Knows no hosts.
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
  double transfers_s = 0.15;          // messages are smaller where kTransfers take longer

  // Links between GPUs are so fast that starting a transfer takes a tenth of 4 MiB's time.
  static LinkEffort between(bool gpus) {
    return gpus ? LinkEffort{.most_bytes = 32 << 20} : LinkEffort{};
  }
};
inline constexpr int kTransfers = 5;  // each way at once

// Messages go each way at once for `bytes_per_s`, which counts those in one direction, at the
// median time.
struct LinkTime {
  double latency_s = 0;   // half of a round trip of 8 bytes: the median
  double quickest_s = 0;  // the same of the third quickest, which no busy CPU held up
  double bytes_per_s = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<LinkTime>& t) {
  a.values(t.latency_s, t.quickest_s, t.bytes_per_s);
}

// Called by both ranks at once, each naming the other as `peer` (ranks within `group`); each learns
// its own times. The messages lie `on` a device whose memory the group sends from; `device` is the
// rank's own. Throws what c10d throws.
LinkTime probe_link(const c10::intrusive_ptr<c10d::Backend>& group, int peer,
                    device::Device& device, c10::Device on, const LinkEffort& effort = {});

// Each pair is measured again in several passes.
struct PairTimes {
  int a = 0, b = 0;  // ranks within the group, a < b
  std::vector<LinkTime> passes;
};

using Rounds = std::vector<std::vector<std::pair<int, int>>>;  // ranks of the group, a < b

// Collective over the group. All rounds once per pass; a pass's time of a pair is that of its
// slower rank. `between`: called on each rank between two rounds. The result is rank 0's; the
// others get none.
std::vector<PairTimes> measure_pairs(process::RankGroup& rank_group, const Rounds& rounds,
                                     int passes, const LinkEffort& effort,
                                     const std::function<void()>& between);

// Collective over the group: each rank with the next one of a ring, one pass. As above.
std::vector<PairTimes> measure_ring(process::RankGroup& rank_group, const LinkEffort& effort,
                                    const std::function<void()>& between);

}  // namespace scalemark::communicating
