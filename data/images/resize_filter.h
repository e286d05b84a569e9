// The weights of antialiased bilinear resampling along one direction. Pure: knows no pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/resize/resize_kernels.h"

namespace scalemark::data {

// The stored samples of an image's line. For a JPEG file's chroma they are fewer than the line's
// pixels. `pixels` and `samples` count the whole line.
struct LineSamples {
  int pixels = 0;
  int samples = 0;
  int each = 1;  // pixels that a sample stands for
  // `each` is 2 and a pixel is 3/4 of its sample and 1/4 of the nearer neighbour (libjpeg's "fancy
  // upsampling"); false: a pixel is its sample.
  bool smooth = false;

  bool operator==(const LineSamples&) const = default;
};

// The part [low, low + length) of a line, in pixels, is resized to `full` pixels, of which only
// `count` from `begin` on are computed.
struct LinePlan {
  double low = 0;
  double length = 0;
  int full = 0;
  int begin = 0;
  int count = 0;
};

struct LineFilter {
  std::vector<kernels::ResizeTaps> taps;  // one per computed pixel, in samples
  std::vector<std::int16_t> weights;
  int first = 0;  // [first, end): samples with a tap
  int end = 0;
};

// Makes a triangle filter whose support grows with the reduction; taps outside the part are left
// out, and the others are normalised to a sum of exactly one. Pillow's rule: Resample.c,
// precompute_coeffs. A sample that stands for several pixels gets the sum of their weights, as if
// the line were upsampled first.
void make_filter(const LineSamples& line, const LinePlan& plan, LineFilter& filter);

// Makes the taps relative to sample `origin`; first and end stay absolute.
void rebase(LineFilter& filter, int origin);

}  // namespace scalemark::data
