// libscalemark_opencv.so offers these pure functions of RGB bytes to data/augment: augmentations
// need them for geometry, a colour space or a filter. Knows no data sets and no randomness; its
// users know no OpenCV, whose headers opencv_plugin.cpp alone includes.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/plugin.h"
#include "data/images/decode.h"

namespace scalemark::data {

// Where pixel (x, y) of the result comes from: (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]).
using ToSource = std::array<double, 6>;

inline constexpr const char* kOpencvAbi = "scalemark-opencv/1";

// `to` is of the size of `from` and shares no byte with it. All may be called from several threads
// at once, and none starts threads of its own.
struct OpencvApi {
  PluginStamp stamp;
  // The nearest pixel of `from`; 0 where that lies outside.
  void (*warp_nearest)(const RgbView& from, const RgbView& to, const ToSource& to_source);
  // Weights 1/13, in the middle 5/13, rounded; what stands in `to`'s outermost pixels is undefined.
  void (*blur)(const RgbView& from, const RgbView& to);
  // Turns the hue by `turns`, in place; 1 is the whole circle.
  void (*shift_hue)(const RgbView& pixels, double turns);
};

}  // namespace scalemark::data

extern "C" const scalemark::data::OpencvApi* scalemark_opencv_api();
