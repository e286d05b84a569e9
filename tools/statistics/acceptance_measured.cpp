// A device that is truly at the limit, judged by a baseline that was measured: parts of the
// baseline are a sample of their product, and have started and booted a few times.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/statistics/acceptance_baseline.h"
#include "core/statistics/summary.h"
#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_measured {
namespace {

using statistics::AcceptanceOutcome;
using statistics::AcceptancePart;
using statistics::BootedPart;

constexpr std::size_t kStarts = 3, kJudged = 8;  // starts in each boot; devices beside the one

// The baseline has so many devices and boots. The other members are standard deviations of ln of a
// rate.
struct Measured {
  std::size_t devices, boots = 2;
  double device = 0.01;
  double boot = 0.003;     // a boot shifts each device by itself
  double boot_of_all = 0;  // a boot shifts all machines alike
  double noise = Starts().noise;
};

std::vector<double> starts_of(Random& random, const Measured& like, double level) {
  std::vector<double> values;
  for (std::size_t k = 0; k < kStarts; ++k) values.push_back(level + like.noise * normal(random));
  return values;
}

statistics::AcceptanceBaseline baseline_of(Random& random, const Measured& like) {
  std::vector<double> of_all;
  for (std::size_t k = 0; k < like.boots; ++k) of_all.push_back(like.boot_of_all * normal(random));
  std::vector<BootedPart> parts(like.devices);
  for (BootedPart& part : parts) {
    const double level = like.device * normal(random);
    for (const double all : of_all) {
      part.push_back(starts_of(random, like, level + all + like.boot * normal(random)));
    }
  }
  return statistics::baseline_of(parts);
}

// `outcome` is that of the first device.
struct Judgement {
  AcceptanceOutcome outcome;
  std::optional<double> smallest;
};

// The first device of a node is `below` less than 30 % of its product truly reach.
Judgement judge(Random& random, const Measured& like, double below) {
  const auto baseline = baseline_of(random, like);
  const double all = like.boot_of_all * normal(random);
  Levels levels;
  for (std::size_t i = 0; i < kJudged; ++i) {
    const double level = i > 0 ? like.device * normal(random)
                               : like.device * statistics::normal_quantile(0.7) - below;
    levels.push_back(level + all + like.boot * normal(random));
  }
  MeasuredFleet fleet(random, std::move(levels), kJudged, {.noise = like.noise});
  fleet.start_all(kStarts);
  const auto judgement = fleet.judge({}, baseline.reference);
  return {judgement.parts[0].outcome, judgement.smallest_decidable};
}

void simulate(Random& random, const Measured& like, int trials) {
  const double limit = -std::log1p(-statistics::AcceptanceRule{}.tolerance);
  TrialMean pass, fail, smallest, found;
  for (int trial = 0; trial < trials; ++trial) {
    const Judgement at = judge(random, like, limit);
    pass.add(at.outcome == AcceptanceOutcome::kPass);
    fail.add(at.outcome == AcceptanceOutcome::kFail);
    if (!at.smallest) continue;
    smallest.add(*at.smallest);
    const Judgement slow = judge(random, like, -std::log1p(-*at.smallest));
    found.add(slow.outcome == AcceptanceOutcome::kFail);
  }
  std::printf(
      "{\"section\": \"accept_baseline\", \"devices\": %zu, \"boots_measured\": %zu, "
      "\"device\": %g, \"boots\": %g, \"boots_of_all\": %g, \"trials\": %d",
      like.devices, like.boots, like.device, like.boot, like.boot_of_all, trials);
  print_mean("wrong_pass", pass);
  print_mean("wrong_fail", fail);
  print_mean("smallest", smallest);
  print_mean("smallest_failed", found);
  std::printf("}\n");
}

std::vector<Measured> scenarios() {
  std::vector<Measured> all;
  for (const double device : {0.01, 0.02}) {
    for (const std::size_t devices : {1, 2, 4, 8, 64}) all.push_back({devices, 2, device});
  }
  for (const std::size_t devices : {2, 8, 64}) all.push_back({devices, 1});
  for (const double of_all : {0.003, 0.006}) {
    for (const std::size_t boots : {1, 2, 4}) {
      all.push_back({.devices = 64, .boots = boots, .boot = 0, .boot_of_all = of_all});
    }
  }
  return all;
}

}  // namespace

void accept_baseline_section(const Study& study) {
  for_each_of_mine(study, 56'000'000, scenarios(), [&](Random& random, const Measured& scenario) {
    simulate(random, scenario, study.trials);
  });
}

}  // namespace scalemark::trials::acceptance_measured
