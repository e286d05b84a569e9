// Counts how windows that are steady, and windows that are not, are judged: by one window, and by
// those of five runs together.
#include "core/statistics/steadiness/steady.h"

#include <cmath>
#include <cstdio>

#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"
#include "tools/statistics/steady_shapes.h"

namespace scalemark::trials::steady {
namespace {

constexpr std::size_t kLengths[] = {110, 400, 1000, 4000};  // steps of a window; 110 is the default
constexpr std::size_t kPooledLengths[] = {110, 400, 1000};
constexpr int kRuns = 5;
constexpr double kHighest = 0.35;  // a decay's first step; anybody sees more

struct Scenario {
  WindowShape shape;
  WindowNoise noise;
  std::size_t steps = 0;
  int runs = 1;
};

struct Counts {
  int said_true = 0, said_false = 0, held = 0, placed = 0;
  double bound = 0;
};

struct Verdict {
  std::optional<bool> steady;
  double bound = 0;
  std::optional<std::int64_t> change_step;  // none: several runs were pooled
};

Verdict verdict_on(Random& random, const Scenario& scenario, const statistics::DecayBasis& basis) {
  std::vector<statistics::WindowVerdict> windows;
  for (int run = 0; run < scenario.runs; ++run) {
    const auto steps = simulate_window(random, scenario.shape, scenario.noise, scenario.steps);
    const auto check = statistics::check_steady(steps, basis);
    if (scenario.runs == 1) return {check.steady, check.bias_bound.value(), check.change_step};
    windows.push_back({check.steady, check.bias_bound, check.biases});
  }
  const auto pooled = statistics::pooled_steady(windows);
  return {pooled.steady, pooled.bias_bound.value(), {}};
}

// Within a twentieth of the window.
bool is_placed(const Scenario& scenario, const Verdict& verdict) {
  const auto n = static_cast<double>(scenario.steps);
  return verdict.change_step &&
         std::abs(static_cast<double>(*verdict.change_step) - scenario.shape.length * n) <= n / 20;
}

void run_scenario(const Study& study, std::uint64_t number, const Scenario& scenario) {
  if (!is_mine(study, number)) return;
  const auto basis = statistics::decay_basis(statistics::points_of(scenario.steps));
  Random random = random_for(study.seed, number);
  // This is the bias of the window's mean, in the check's definition.
  const double bias =
      scenario.shape.kind == Kind::kDecay ? scenario.shape.size / (1 + scenario.shape.size) : 0;
  Counts counts;
  for (int trial = 0; trial < study.trials; ++trial) {
    const auto verdict = verdict_on(random, scenario, basis);
    counts.said_true += verdict.steady == true;
    counts.said_false += verdict.steady == false;
    counts.held += verdict.bound >= bias;
    counts.placed += is_placed(scenario, verdict);
    counts.bound += verdict.bound;
  }
  const double n = study.trials;
  std::printf(
      "{\"section\": \"steady\", \"windows\": %d, \"kind\": \"%s\", \"size\": %g, \"length\": %g, "
      "\"step_cv\": %g, \"phi\": %g, \"outliers\": \"%s\", \"steps\": %zu, \"trials\": %d, "
      "\"said_true\": %.5f, \"said_false\": %.5f, \"bound_held\": %.5f, \"placed\": %.5f, "
      "\"bound\": %.6f}\n",
      scenario.runs, name_of(scenario.shape.kind), scenario.shape.size, scenario.shape.length,
      scenario.noise.noise.step_cv, scenario.noise.noise.phi, outliers_of(scenario.noise),
      scenario.steps, study.trials, counts.said_true / n, counts.said_false / n, counts.held / n,
      counts.placed / n, counts.bound / n);
  std::fflush(stdout);
}

std::vector<WindowShape> shapes(bool every) {
  std::vector<WindowShape> all{{},
                               {Kind::kRamp, 0.05},
                               {Kind::kRamp, 0.1},
                               {Kind::kThrottle, 0.1, 0.8},
                               {Kind::kThrottle, 0.1, 0.5}};
  if (every) all.insert(all.end(), {{Kind::kRamp, 0.02}, {Kind::kWander, 0.002}});
  for (const double bias : {0.005, 0.01}) {
    for (const double length : {0.05, 0.2, 0.5, 1.0}) {
      const WindowShape decay{Kind::kDecay, bias, length};
      if (height_of(decay) <= kHighest && (every || bias < 0.01)) all.push_back(decay);
    }
  }
  return all;
}

// All step spreads without outliers, and one spread with each kind of them.
std::vector<WindowNoise> noises(bool every) {
  std::vector<WindowNoise> all;
  for (const double phi : {0.0, 0.5, 0.9}) {
    for (const double cv : {0.005, 0.02, 0.05}) {
      if (every || cv < 0.05) all.push_back({{.step_cv = cv, .phi = phi}});
    }
    for (const Outliers outliers : {Outliers::kUsual, Outliers::kRareAndHeavy}) {
      if (every || outliers == Outliers::kUsual) {
        all.push_back({{.step_cv = 0.02, .phi = phi, .outliers = outliers}});
      }
    }
    if (every) all.push_back({{.step_cv = 0.02, .phi = phi}, true});
  }
  return all;
}

// A change that is found at 1,000 steps is found at 4,000, too: that is not simulated.
bool is_plain(const WindowShape& shape) {
  return shape.kind == Kind::kThrottle || (shape.kind == Kind::kRamp && shape.size >= 0.05);
}

}  // namespace

void steady_section(const Study& study) {
  std::uint64_t number = 3'000'000;
  for (const WindowShape& shape : shapes(true)) {
    for (const WindowNoise& noise : noises(true)) {
      for (const std::size_t steps : kLengths) {
        if (is_plain(shape) && steps > 1000) continue;
        run_scenario(study, ++number, {shape, noise, steps});
      }
    }
  }
  for (const WindowShape& shape : shapes(false)) {
    for (const WindowNoise& noise : noises(false)) {
      for (const std::size_t steps : kPooledLengths) {
        run_scenario(study, ++number, {shape, noise, steps, kRuns});
      }
    }
  }
}

}  // namespace scalemark::trials::steady
