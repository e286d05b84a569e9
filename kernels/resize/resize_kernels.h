// Antialiased resampling of 8-bit images over a band of target rows, for each instruction set.
// Knows nothing of files, boxes or filters, and allocates nothing.
//
// The result has the same bytes with every instruction set, since all arithmetic is in integers.
// Weights are Q14 and sum to one, values between the passes are Q7, planes of Y, Cb and Cr before
// their conversion Q6.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::kernels {

inline constexpr int kResizeWeightBits = 14;

// The source elements that make one target element.
struct ResizeTaps {
  std::int32_t first = 0;
  std::int32_t count = 0;
  const std::int16_t* weights = nullptr;  // an odd number is followed by a weight of 0
};

// The first pass: weighted sums of rows.
struct BandRows {
  const std::uint8_t* source = nullptr;  // element 0 of row 0
  std::size_t stride = 0;                // bytes from row to row
  std::size_t width = 0;                 // elements of a row
  const ResizeTaps* taps = nullptr;      // one per line
  int lines = 0;                         // 1 to ResizeKernels::lines
  // Holds width x ResizeKernels::lines values, by column instead of by row, so that the second pass
  // handles all lines at once.
  std::int16_t* middle = nullptr;
};

struct BandChannel {
  const std::int16_t* middle = nullptr;
  const ResizeTaps* taps = nullptr;  // one per target pixel, from the left
};

enum class BandColour : std::uint8_t {
  kRgb,   // channels[0]: neighbouring red, green and blue of a pixel
  kGrey,  // channels[0]: one plane
  kYcc,   // one plane each for Y, Cb and Cr (of JFIF)
  kKept,  // three planes without conversion; kYcc's additional time is that of the conversion
};

// The second pass: weighted sums along lines, conversion to RGB, and storing the bytes.
struct BandPixels {
  BandChannel channels[3];
  BandColour colour = BandColour::kRgb;
  int width = 0;  // target pixels
  int lines = 0;
  bool flip = false;
  std::uint8_t* target = nullptr;  // RGB
  std::size_t target_pitch = 0;
};

struct ResizeKernels {
  int lines;  // lines of a band
  void (*rows)(const BandRows& job);
  void (*pixels)(const BandPixels& job);
};

const ResizeKernels& resize_kernels(InstructionSet set);

// The kernel tables of the files resize_<set>.cpp; resize_kernels() chooses one.
const ResizeKernels& resize_portable();
const ResizeKernels& resize_avx2();
const ResizeKernels& resize_avx512();

}  // namespace scalemark::kernels
