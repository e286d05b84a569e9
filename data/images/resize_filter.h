// The weights of antialiased bilinear resampling along one direction. Pure: knows no pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/resize/resize_kernels.h"

namespace scalemark::data {

// The samples that are stored for a line of an image. Chroma of a JPEG file has fewer of them than
// the line has pixels. `pixels` and `samples` count the whole line.
struct LineSamples {
  int pixels = 0;
  int samples = 0;
  int each = 1;         // pixels that a sample stands for
  bool smooth = false;  // each is 2: a pixel is 3/4 of its sample and 1/4 of the nearer neighbour
                        // (libjpeg's "fancy upsampling"); else it is its sample

  bool operator==(const LineSamples&) const = default;
};

// The part [low, low + length) of a line, in pixels, would become `full` pixels, of which `count`
// from `begin` on are wanted.
struct LinePlan {
  double low = 0;
  double length = 0;
  int full = 0;
  int begin = 0;
  int count = 0;
};

struct LineFilter {
  std::vector<kernels::ResizeTaps> taps;  // one per wanted pixel, in samples
  std::vector<std::int16_t> weights;
  int first = 0;  // [first, end): samples that have a tap
  int end = 0;
};

// Triangle filter whose support grows with the reduction; taps outside the part's pixels are left
// out, the rest weighs as one, exactly. Pillow's rule: Resample.c, precompute_coeffs. A sample that
// stands for several pixels gets the sum of their weights: as if the line were upsampled first.
void make_filter(const LineSamples& line, const LinePlan& plan, LineFilter& filter);

// From now on the taps count from sample `origin`; first and end do not.
void rebase(LineFilter& filter, int origin);

}  // namespace scalemark::data
