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
  // A decay adds so much to the window's mean, relative to it. A ramp changes by it from the first
  // to the last step. A throttle makes steps longer by it. A wandering level's change within 100
  // steps has it as its standard deviation.
  double size = 0;
  // In windows: a decay falls to 1/e within it; a throttle begins there.
  double length = 1;
};

// Returns how far the first step of a decay lies above the level that it comes down to.
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
