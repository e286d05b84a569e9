// How much each rank has of a collective's data, in elements. Pure. The size of a collective is
// counted as nccl-tests does: of all-gather, gather, reduce-scatter and all-to-all the whole, of
// which each rank has an equal share; of the others what every rank has. Source: nccl-tests,
// doc/PERFORMANCE.md and the ...GetCollByteCount() of its programs.
#pragma once

#include <cstdint>
#include <optional>

#include "core/collectives/words.h"

namespace scalemark::collectives {

// Some collectives have one rank at which everything begins or ends.
inline constexpr int kRoot = 0;

// Whether ranks own shares of the whole.
bool is_shared(Collective collective);

// Whether the collective adds what the ranks have.
bool is_reduction(Collective collective);

// The size that is measured where `elements` are asked for. Shares are rounded down to 16 bytes, as
// in nccl-tests, and, where they are smaller than that, to whole elements. 0 for a barrier. Absent:
// too small, a rank's share would be nothing.
std::optional<std::int64_t> measured_elements(Collective collective, std::int64_t elements,
                                              DataType type, int world_size);

// An exchange is the whole, among so many ranks.
struct Exchange {
  Collective collective = Collective::kAllReduce;
  int world_size = 1;
  std::int64_t elements = 0;  // by measured_elements()
  std::uint64_t round = 0;    // changes every value (pattern.h)
};

// Elements of a rank's share; of collectives without shares the whole.
std::int64_t share_of(const Exchange& exchange);

// Elements of `rank`'s sending and receiving buffers. Broadcast: every rank has both. Reduce and
// gather: only the root receives. Barrier: none.
std::int64_t input_elements(const Exchange& exchange);
std::int64_t output_elements(const Exchange& exchange, int rank);

// Bytes of both buffers of the rank that needs most; in place they are one.
std::int64_t buffer_bytes(const Exchange& exchange, DataType type, bool in_place);

}  // namespace scalemark::collectives
