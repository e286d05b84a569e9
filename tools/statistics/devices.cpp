// Devices of a node that differ for good: does the interval of efficiency hold the node's, when the
// baseline always runs on the first device, and when each block draws its device anew?
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "core/statistics/efficiency.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::devices {
namespace {

constexpr std::size_t kDevices = 8, kBlocks = 5;
constexpr double kBetweenRuns = 0.003, kEfficiency = 0.85, kRate = 100;

// Against a baseline on device_of_block[k]. The node's efficiency is relative to its mean device.
bool interval_holds(Random& random, const std::vector<double>& ln_speed,
                    const std::vector<std::size_t>& device_of_block) {
  const double mean_device =
      std::accumulate(ln_speed.begin(), ln_speed.end(), 0.0) / static_cast<double>(kDevices);
  std::vector<statistics::ThroughputPair> pairs;
  for (std::size_t k = 0; k < kBlocks; ++k) {
    const double one = ln_speed[device_of_block[k]] + kBetweenRuns * normal(random);
    const double all = mean_device + kBetweenRuns * normal(random);
    pairs.push_back({kRate * std::exp(one), kDevices * kEfficiency * kRate * std::exp(all)});
  }
  const auto interval = statistics::paired_efficiency(pairs, kDevices).efficiency_ci95.value();
  return interval.low <= kEfficiency && kEfficiency <= interval.high;
}

}  // namespace

void devices_section(const Study& study) {
  std::uint64_t number = 6'000'000;
  for (const double spread : {0.0, 0.005, 0.01, 0.02}) {
    if (!is_mine(study, ++number)) continue;
    Random random = random_for(study.seed, number);
    int first = 0, drawn = 0;
    for (int trial = 0; trial < study.trials; ++trial) {
      std::vector<double> ln_speed(kDevices);
      for (double& device : ln_speed) device = spread * normal(random);
      first += interval_holds(random, ln_speed, std::vector<std::size_t>(kBlocks, 0));
      drawn += interval_holds(random, ln_speed, random_order(random, kDevices));
    }
    const double n = study.trials;
    std::printf(
        "{\"section\": \"devices\", \"device_spread\": %g, \"trials\": %d, \"first\": %.5f, "
        "\"drawn\": %.5f}\n",
        spread, study.trials, first / n, drawn / n);
  }
}

}  // namespace scalemark::trials::devices
