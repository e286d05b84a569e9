// How often the interval of one run's mean holds it, by the number of its steps.
#include <cstdio>

#include "core/statistics/summary.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::within_run {
namespace {

constexpr double kLevel_s = 0.1;

void run_scenario(const Study& study, std::uint64_t number, const Noise& noise, std::size_t steps) {
  if (!is_mine(study, number)) return;
  Random random = random_for(study.seed, number);
  const double truth = kLevel_s * expected_step(noise);
  int held = 0;
  for (int trial = 0; trial < study.trials; ++trial) {
    const auto interval =
        statistics::batch_means_interval(simulate_steps(random, noise, kLevel_s, steps));
    held += interval && interval->low <= truth && truth <= interval->high;
  }
  std::printf(
      "{\"section\": \"within_run\", \"steps\": %zu, \"phi\": %g, \"outliers\": \"%s\", "
      "\"trials\": %d, \"held\": %.5f}\n",
      steps, noise.phi, name_of(noise.outliers), study.trials,
      static_cast<double>(held) / study.trials);
}

}  // namespace

void within_run_section(const Study& study) {
  std::uint64_t number = 10'000'000;
  for (const Outliers outliers : {Outliers::kNone, Outliers::kUsual, Outliers::kRareAndHeavy}) {
    for (const double phi : {0.0, 0.5, 0.8, 0.9}) {
      for (const std::size_t steps : {110, 400, 1000, 4000}) {
        run_scenario(study, ++number, {.phi = phi, .outliers = outliers}, steps);
      }
    }
  }
}

}  // namespace scalemark::trials::within_run
