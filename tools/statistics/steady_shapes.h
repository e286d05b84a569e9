// Windows whose level is known at each step: steady, at the end of a warm-up, slowing down,
// throttled or wandering. Knows nothing of what is concluded from them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/statistics/generator.h"

namespace scalemark::trials {

enum class Kind { kSteady, kDecay, kRamp, kThrottle, kWander };
const char* name_of(Kind kind);  // "steady" | "decay" | ...

struct WindowShape {
  Kind kind = Kind::kSteady;
  // Of a decay: what it adds to the window's mean, relative. Of a ramp: from first to last step. Of
  // a throttle: by how much steps become longer. Of a wandering level: the standard deviation of
  // its change within 100 steps.
  double size = 0;
  double length = 1;  // of a decay to 1/e, in windows; of a throttle: where it begins
};

// Of the first step of a decay, above the level that it comes down to.
double height_of(const WindowShape& decay);

struct WindowNoise {
  Noise noise;
  bool stalls = false;  // every 50th step takes three times as long
};
const char* outliers_of(const WindowNoise& noise);

// n steps around 0.1 s.
std::vector<double> simulate_window(Random& random, const WindowShape& shape,
                                    const WindowNoise& noise, std::size_t n);

}  // namespace scalemark::trials
