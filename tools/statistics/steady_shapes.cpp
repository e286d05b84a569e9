#include "tools/statistics/steady_shapes.h"

#include <cmath>

namespace scalemark::trials {
namespace {

constexpr double kLevel_s = 0.1;
constexpr std::size_t kStallEvery = 50;
constexpr double kStallFactor = 3;

// Relative, at x in [0, 1] of the window; of all kinds but a wandering level.
double level_at(const WindowShape& shape, double height, double x) {
  switch (shape.kind) {
    case Kind::kDecay:
      return 1 + height * std::exp(-x / shape.length);
    case Kind::kRamp:
      return 1 + shape.size * x;
    case Kind::kThrottle:
      return x < shape.length ? 1 : 1 + shape.size;
    case Kind::kSteady:
    case Kind::kWander:
      break;
  }
  return 1;
}

void wander(Random& random, double size, std::vector<double>& steps) {
  double level = 1;
  for (double& step : steps) {
    step *= level;
    level += size / 10 * normal(random);  // 100 steps: sqrt(100) times that
  }
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kSteady:
      return "steady";
    case Kind::kDecay:
      return "decay";
    case Kind::kRamp:
      return "ramp";
    case Kind::kThrottle:
      return "throttle";
    case Kind::kWander:
      break;
  }
  return "wander";
}

double height_of(const WindowShape& decay) {
  return decay.size / (decay.length * -std::expm1(-1 / decay.length));
}

const char* outliers_of(const WindowNoise& noise) {
  return noise.stalls ? "stalls" : name_of(noise.noise.outliers);
}

std::vector<double> simulate_window(Random& random, const WindowShape& shape,
                                    const WindowNoise& noise, std::size_t n) {
  auto steps = simulate_steps(random, noise.noise, kLevel_s, n);
  const double height = shape.kind == Kind::kDecay ? height_of(shape) : 0;
  for (std::size_t t = 0; t < n; ++t) {
    steps[t] *= level_at(shape, height, (static_cast<double>(t) + 0.5) / static_cast<double>(n));
    if (noise.stalls && t % kStallEvery == kStallEvery - 1) steps[t] *= kStallFactor;
  }
  if (shape.kind == Kind::kWander) wander(random, shape.size, steps);
  return steps;
}

}  // namespace scalemark::trials
