// The sizes of memory blocks, so that a freed block fits the next request of about its size. Pure;
// allocates nothing.
#pragma once

#include <bit>
#include <cstddef>

namespace scalemark::device {

// Multiples of 64 bytes up to 512, then eight sizes for each doubling: a block is less than 64
// bytes or an eighth larger than what was asked for.
inline constexpr std::size_t kSizeUnit = 64;
inline constexpr std::size_t kSizesPerDoubling = 8;
inline constexpr std::size_t kLargestRequest = std::size_t{1} << 48;  // the address space
inline constexpr std::size_t kSizeClasses = 320;                      // up to kLargestRequest

// The smallest class whose blocks hold `bytes`; 0 < bytes <= kLargestRequest.
constexpr std::size_t size_class_of(std::size_t bytes) {
  const std::size_t units = (bytes + kSizeUnit - 1) / kSizeUnit;
  if (units <= kSizesPerDoubling) return units - 1;
  const auto shift = static_cast<std::size_t>(std::bit_width(units - 1)) - 4;
  const std::size_t steps = ((units - 1) >> shift) + 1;  // 9..16 times 2^shift units
  return shift * kSizesPerDoubling + steps - 1;
}

constexpr std::size_t bytes_of_size_class(std::size_t size_class) {
  if (size_class < kSizesPerDoubling) return (size_class + 1) * kSizeUnit;
  const std::size_t shift = size_class / kSizesPerDoubling - 1;
  const std::size_t steps = size_class % kSizesPerDoubling + kSizesPerDoubling + 1;
  return (steps << shift) * kSizeUnit;
}

}  // namespace scalemark::device
