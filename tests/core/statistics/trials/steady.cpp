// Warm-up that is left over in a window: does the steady check let a bias through? And does it
// accuse windows that are steady?
#include "core/statistics/steady.h"

#include <cmath>
#include <cstdio>

#include "tests/core/statistics/trials/generator.h"
#include "tests/core/statistics/trials/sections.h"

namespace scalemark::trials {
namespace {

constexpr double kLengths[] = {0.05, 0.2, 0.5, 1};  // of the decay, in windows
constexpr double kHeights[] = {0, 0.01, 0.02, 0.05, 0.1};
constexpr double kStepCvs[] = {0.005, 0.02, 0.05};
constexpr double kCorrelations[] = {0, 0.5, 0.9};
constexpr Outliers kOutliers[] = {Outliers::kNone, Outliers::kUsual};

struct Transient {
  double height = 0;  // of the first step above the steady level, relative
  double length = 1;  // until it has fallen to 1/e, in windows
};

double at(const Transient& transient, double position) {
  return transient.height * std::exp(-position / transient.length);
}

// What the transient adds to the window's mean, relative.
double bias_of(const Transient& transient, std::size_t steps) {
  double sum = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    sum += at(transient, (static_cast<double>(t) + 0.5) / static_cast<double>(steps));
  }
  return sum / static_cast<double>(steps);
}

void run_scenario(const Study& study, std::uint64_t number, const Transient& transient,
                  const Noise& noise, std::size_t steps) {
  if (!is_mine(study, number)) return;
  Random random = random_for(study.seed, number);
  int said_true = 0, said_false = 0;
  for (int trial = 0; trial < study.trials; ++trial) {
    auto window = simulate_steps(random, noise, 0.1, steps);
    for (std::size_t t = 0; t < steps; ++t) {
      window[t] *= 1 + at(transient, (static_cast<double>(t) + 0.5) / static_cast<double>(steps));
    }
    const auto verdict = statistics::check_steady(window).steady;
    said_true += verdict.has_value() && *verdict;
    said_false += verdict.has_value() && !*verdict;
  }
  const double n = study.trials;
  std::printf(
      "{\"section\": \"steady\", \"height\": %g, \"length\": %g, \"step_cv\": %g, \"phi\": %g, "
      "\"outliers\": \"%s\", \"steps\": %zu, \"trials\": %d, \"bias\": %.6f, \"said_true\": %.5f, "
      "\"said_false\": %.5f}\n",
      transient.height, transient.length, noise.step_cv, noise.phi, name_of(noise.outliers), steps,
      study.trials, bias_of(transient, steps), said_true / n, said_false / n);
}

}  // namespace

void steady_section(const Study& study) {
  std::uint64_t number = 3'000'000;
  for (const double height : kHeights) {
    for (const double length : kLengths) {
      if (height == 0 && length != 1) continue;  // nothing falls
      if (!study.every_scenario && length != 0.2 && length != 1) continue;
      for (const double cv : kStepCvs) {
        for (const double phi : kCorrelations) {
          for (const Outliers outliers : kOutliers) {
            for (const std::size_t steps : {100, 400, 1000}) {
              run_scenario(study, ++number, {height, length},
                           {.step_cv = cv, .phi = phi, .outliers = outliers}, steps);
            }
          }
        }
      }
    }
  }
}

}  // namespace scalemark::trials
