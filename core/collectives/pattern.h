// The data that a collective is checked with: small whole numbers whose sums are exact in every
// type, on any number of ranks, in any order of additions. Pure; knows no type and no buffer.
//
// Data that only travels (all-gather, gather, broadcast, all-to-all, send-recv) is 1 to 251:
// neighbouring elements, neighbouring ranks and successive rounds always differ, and memory that
// was never written (0) is always wrong.
//
// Data that is added (all-reduce, reduce, reduce-scatter) has sums of at most 252, since bfloat16
// holds whole numbers up to 256 only. Each element of the sum has a part of each rank and, in one
// rank's data, a part that changes with element and round: sums of neighbouring elements and of
// successive rounds always differ. On up to kRanksThatAllAdd ranks each adds at least 1 to each
// element, so that none can be missing unnoticed; on more ranks each element has the parts of a
// share of them, and every rank adds to some elements.
#pragma once

#include <cstdint>
#include <optional>

#include "core/collectives/shares.h"

namespace scalemark::collectives {

inline constexpr int kRanksThatAllAdd = 192;

// `rank` has this at `element` of its sending buffer; 0 <= element < input_elements(). On other
// ranks than the root a broadcast has data that it must replace.
int input_value(const Exchange& exchange, int rank, std::int64_t element);

// `rank` must have this at `element` of its receiving buffer; 0 <= element < output_elements().
int expected_value(const Exchange& exchange, int rank, std::int64_t element);

// The rank, among those of the exchange, from which that element comes; absent for sums.
std::optional<int> source_of(const Exchange& exchange, int rank, std::int64_t element);

}  // namespace scalemark::collectives
