// One device that is truly at the limit of acceptance, or beyond or within it by a known
// difference: how often is it passed, and failed? Against the fleet that it is part of, and against
// baselines.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_limit {
namespace {

using statistics::AcceptanceOutcome;
using statistics::AcceptanceReference;

constexpr double kFarFromLimit = 0.015;

struct Scenario {
  const char* reference;  // "fleet" | "as if exact": its value without any error | "baseline"
  std::size_t devices;
  double device = 0.01;  // standard deviation between devices
  Starts starts;
  // The baseline's two boots and each device's boot differ by this; the baseline may say so.
  double boots = 0;
  bool boots_said = false;
  // All repetitions of a device have this in common where they are no starts of their own.
  double shared_start = 0;
};

struct Ends {
  TrialMean pass, fail;
};

Fleet fleet_of(const Scenario& scenario) {
  const std::size_t per_node = std::min<std::size_t>(8, scenario.devices);
  return {.nodes = scenario.devices / per_node,
          .per_node = per_node,
          .device = scenario.device,
          .node = 0};
}

// Several machines were booted twice, so the error is that of two draws.
std::optional<AcceptanceReference> baseline_of(Random& random, const Scenario& scenario) {
  if (scenario.reference[0] != 'b') return {};
  const double error = scenario.boots / std::sqrt(2.0);
  AcceptanceReference baseline{.ln_value = error * normal(random)};
  if (scenario.boots_said) {
    baseline.standard_error = error;
    baseline.between_boots = scenario.boots;
  }
  return baseline;
}

// Judges a fleet whose first device is `below` less than the reference.
void count(Random& random, const Scenario& scenario, double below, Ends& ends) {
  const Fleet fleet = fleet_of(scenario);
  Levels levels = levels_of(random, fleet);
  auto baseline = baseline_of(random, scenario);
  if (baseline) {
    levels[0] = -below;
  } else {
    plant(levels, 0, below);
  }
  const double apart =
      std::sqrt(scenario.boots * scenario.boots + scenario.shared_start * scenario.shared_start);
  for (double& level : levels) level += apart * normal(random);
  MeasuredFleet measured(random, std::move(levels), fleet.per_node, scenario.starts);
  measured.start_all(3);
  if (scenario.reference[0] == 'a') {
    baseline = AcceptanceReference{.ln_value = measured.reached_by_30_percent()};
  }
  const auto outcome = measured.judge({}, baseline).parts[0].outcome;
  ends.pass.add(outcome == AcceptanceOutcome::kPass);
  ends.fail.add(outcome == AcceptanceOutcome::kFail);
}

// Returns what the head of a class says that the rule decides, after the first look at a healthy
// fleet.
std::optional<double> smallest_decidable(Random& random, const Scenario& scenario) {
  const Fleet fleet = fleet_of(scenario);
  MeasuredFleet measured(random, levels_of(random, fleet), fleet.per_node, scenario.starts);
  measured.start_all(3);
  return measured.judge({}, baseline_of(random, scenario)).smallest_decidable;
}

void print(const Scenario& s, int trials, const Ends& at, const Ends& beyond, const Ends& within,
           const TrialMean& smallest, const TrialMean& found) {
  std::printf(
      "{\"section\": \"accept_limit\", \"reference\": \"%s\", \"devices\": %zu, \"device\": %g, "
      "\"noise\": %g, \"noises_differ_by\": %g, \"boots\": %g, \"boots_said\": %s, "
      "\"shared_start\": %g, \"trials\": %d",
      s.reference, s.devices, s.device, s.starts.noise, s.starts.noises_differ_by, s.boots,
      s.boots_said ? "true" : "false", s.shared_start, trials);
  print_mean("wrong_pass", at.pass);
  print_mean("wrong_fail", at.fail);
  print_mean("beyond_failed", beyond.fail);
  print_mean("within_passed", within.pass);
  print_mean("smallest", smallest);
  print_mean("smallest_failed", found);
  std::printf("}\n");
}

void simulate(Random& random, const Scenario& scenario, int trials) {
  const double limit = -std::log1p(-statistics::AcceptanceRule{}.tolerance);
  Ends at, beyond, within;
  TrialMean smallest, found;
  for (int trial = 0; trial < trials; ++trial) {
    count(random, scenario, limit, at);
    count(random, scenario, limit + kFarFromLimit, beyond);
    count(random, scenario, limit - kFarFromLimit, within);
    const auto share = smallest_decidable(random, scenario);
    if (!share) continue;
    Ends ends;
    count(random, scenario, -std::log1p(-*share), ends);
    smallest.add(*share);
    found.add(ends.fail.mean());
  }
  print(scenario, trials, at, beyond, within, smallest, found);
}

void add_differing_noise(std::vector<Scenario>& all) {
  const std::size_t alike = all.size();
  for (std::size_t i = 0; i < alike; ++i) {
    Scenario scenario = all[i];
    scenario.starts.noises_differ_by = 0.4;
    all.push_back(scenario);
  }
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const std::size_t devices : {3, 4, 8, 16, 64, 512}) {
    for (const double device : {0.0, 0.005, 0.01}) all.push_back({"fleet", devices, device});
  }
  for (const std::size_t devices : {1, 4, 8, 64, 512}) all.push_back({"baseline", devices});
  add_differing_noise(all);
  all.push_back({"fleet", 64, 0.01, {.noise = 0.0158}});
  for (const std::size_t devices : {8, 512}) {
    for (const double device : {0.0, 0.01}) all.push_back({"as if exact", devices, device});
  }
  for (const bool said : {false, true}) {
    all.push_back({.reference = "baseline", .devices = 64, .boots = 0.003, .boots_said = said});
  }
  for (const double shared : {0.003, 0.006}) {
    all.push_back({.reference = "baseline",
                   .devices = 64,
                   .starts = {.noise = 0.005},
                   .shared_start = shared});
  }
  return all;
}

}  // namespace

void accept_limit_section(const Study& study) {
  std::uint64_t number = 51'000'000;
  for (const Scenario& scenario : scenarios()) {
    if (!is_mine(study, ++number)) continue;
    Random random = random_for(study.seed, number);
    simulate(random, scenario, study.trials);
  }
}

}  // namespace scalemark::trials::acceptance_limit
