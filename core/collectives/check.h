// Fills the buffers of a collective with the pattern, and counts what came out wrong. Memory of the
// host; knows no device and no library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/collectives/pattern.h"

namespace scalemark::collectives {

// `rank`'s sending buffer, the whole of it: input_elements() elements. Spans of 16 bits hold the
// bit patterns of `type`, kFp16 or kBf16. bug() for a span of another length.
void fill_input(const Exchange& exchange, int rank, std::span<float> input);
void fill_input(const Exchange& exchange, int rank, std::span<std::int32_t> input);
void fill_input(const Exchange& exchange, int rank, std::span<std::uint16_t> input, DataType type);

struct WrongElements {
  std::int64_t count = 0;
  std::int64_t first = 0;   // index of the first one, when there is any
  std::optional<int> from;  // the rank that it came from, where the collective tells it
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
