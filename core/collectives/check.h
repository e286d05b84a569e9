// The data that a collective is checked with: filled into its buffers, and counted where it came
// out wrong. Memory of the host; knows no device and no library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/collectives/collective.h"

namespace scalemark::collectives {

// bfloat16 holds every whole number up to here, binary16 and the others hold more.
inline constexpr int kMostExact = 256;

// Small whole numbers as bits, without arithmetic in these types: IEEE 754 binary16, and bfloat16
// (the upper half of a binary32). 0 <= value <= kMostExact: exact. bug() beyond.
std::uint16_t fp16_bits(int value);
std::uint16_t bf16_bits(int value);

// Takes kFp16 or kBf16; throws bug() for a type of 32 bits.
std::uint16_t half_bits(DataType type, int value);

// --- The pattern: small whole numbers whose sums are exact in every type, on any number of ranks,
// in any order of additions.
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

inline constexpr int kRanksThatAllAdd = 192;

// `rank` has this at `element` of its sending buffer; 0 <= element < input_elements(). On other
// ranks than the root a broadcast has data that it must replace.
int input_value(const Exchange& exchange, int rank, std::int64_t element);

// `rank` must have this at `element` of its receiving buffer; 0 <= element < output_elements().
int expected_value(const Exchange& exchange, int rank, std::int64_t element);

// The rank, among those of the exchange, from which that element comes; absent for sums.
std::optional<int> source_of(const Exchange& exchange, int rank, std::int64_t element);

// Fills `rank`'s sending buffer, the whole of it: input_elements() elements. Spans of 16 bits hold
// the bit patterns of `type`, kFp16 or kBf16. bug() for a span of another length.
void fill_input(const Exchange& exchange, int rank, std::span<float> input);
void fill_input(const Exchange& exchange, int rank, std::span<std::int32_t> input);
void fill_input(const Exchange& exchange, int rank, std::span<std::uint16_t> input, DataType type);

struct WrongElements {
  std::int64_t count = 0;
  std::int64_t first = 0;   // index of the first one, when there is any
  std::optional<int> from;  // the rank that it came from; absent where several ranks add to it
};

// Checks the whole of `rank`'s receiving buffer, output_elements() elements. A value that is no
// number is wrong. Throws bug() for a span of another length.
WrongElements wrong_elements(const Exchange& exchange, int rank, std::span<const float> output);
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::int32_t> output);
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::uint16_t> output, DataType type);

// The same for buffers whose type is known at run time only.
void fill_input(const Exchange& exchange, int rank, DataType type, void* input);
WrongElements wrong_elements(const Exchange& exchange, int rank, DataType type, const void* output);

}  // namespace scalemark::collectives
