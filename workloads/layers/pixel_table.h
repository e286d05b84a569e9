// A table with the network's input for each of the 256 byte values, per channel. The host computes
// it by one formula, and the CPU and the CUDA kernel both look values up in it, so that both give
// the same bits. Knows no torch; C++17, since nvcc compiles it too.
#pragma once

namespace scalemark::workloads {

template <class Out>
struct PixelTable {
  Out value[256][3];
};

// Computes (byte / 255 - mean) / deviation in double, rounded to Out (fp16 and bf16 via float).
// `mean` and `deviation` may be of any type with three numbers and [].
template <class Out, class Numbers>
PixelTable<Out> make_pixel_table(const Numbers& mean, const Numbers& deviation) {
  PixelTable<Out> table;
  for (int byte = 0; byte < 256; ++byte) {
    for (int c = 0; c < 3; ++c) {
      const double pixel = static_cast<double>(byte) / 255;
      table.value[byte][c] = static_cast<Out>((pixel - mean[c]) / deviation[c]);
    }
  }
  return table;
}

}  // namespace scalemark::workloads
