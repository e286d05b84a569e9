// The interface of libscalemark_opencv.so for data/augment: pure functions of RGB bytes for
// augmentations that need geometry, a colour space or a filter. Knows no data sets and no
// randomness. OpenCV's headers are included by opencv_plugin.cpp alone.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/plugin.h"
#include "data/images/decode.h"

namespace scalemark::data {

// Maps pixel (x, y) of the result to the source: (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]).
using ToSource = std::array<double, 6>;

inline constexpr const char* kOpencvAbi = "scalemark-opencv/1";

// `to` has the size of `from` and shares no byte with it. Several threads may call the functions at
// once, and none of these starts threads of its own.
struct OpencvApi {
  PluginStamp stamp;
  // Takes the nearest pixel of `from`; 0 outside of it.
  void (*warp_nearest)(const RgbView& from, const RgbView& to, const ToSource& to_source);
  // Blurs with weights of 1/13, 5/13 in the middle, rounded; the outermost pixels of `to` are
  // undefined.
  void (*blur)(const RgbView& from, const RgbView& to);
  // Turns the hue by `turns`, in place; 1 is the whole circle.
  void (*shift_hue)(const RgbView& pixels, double turns);
};

}  // namespace scalemark::data

extern "C" const scalemark::data::OpencvApi* scalemark_opencv_api();
