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
  const char* noise = "";  // outside of the model that the rule was tuned on: its name
};

struct Ends {
  TrialMean pass, fail, another_failed;  // a fleet in which a healthy device fails
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
  Fleet fleet = fleet_of(scenario);
  if (*scenario.noise != 0) fleet.node = 0.005;
  Levels levels = levels_of(random, fleet);
  auto baseline = baseline_of(random, scenario);
  if (baseline) {
    levels[0] = -below;
  } else {
    plant(levels, 0, below);
  }
  const Levels truth = levels;
  const double apart =
      std::sqrt(scenario.boots * scenario.boots + scenario.shared_start * scenario.shared_start);
  for (double& level : levels) level += apart * normal(random);
  MeasuredFleet measured(random, std::move(levels), fleet.per_node, scenario.starts);
  measured.start_all(3);
  if (scenario.reference[0] == 'a') {
    baseline = AcceptanceReference{.ln_value = measured.reached_by_30_percent()};
  }
  const auto parts = measured.judge({}, baseline).parts;
  const auto outcome = parts[0].outcome;
  bool another = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    another = another || (truth[i] > truth[0] && parts[i].outcome == AcceptanceOutcome::kFail);
  }
  ends.another_failed.add(another);
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
      "\"shared_start\": %g, \"beyond_model\": \"%s\", \"trials\": %d",
      s.reference, s.devices, s.device, s.starts.noise, s.starts.noises_differ_by, s.boots,
      s.boots_said ? "true" : "false", s.shared_start, s.noise, trials);
  print_mean("wrong_pass", at.pass);
  print_mean("wrong_fail", at.fail);
  print_mean("another_failed", at.another_failed);
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

// Noise of other kinds than the rule was made for, in fleets of 16 nodes with 8 devices.
void add_beyond_model(std::vector<Scenario>& all) {
  const auto add = [&](const char* name, const Starts& starts, std::size_t devices = 128) {
    all.push_back({.reference = "fleet", .devices = devices, .starts = starts, .noise = name});
  };
  add("the model", {});
  add("starts t 2.5", {.shape = StartShape::kHeavy});
  add("noise of parts differs by log-sd 0.8", {.noises_differ_by = 0.8});
  add("this part has 5 times the noise", {.first_noisier = 5});
  add("starts correlated, AR 0.8", {.shape = StartShape::kCorrelated});
  add("1 start in 20 is 6 % slower", {.slow_share = 0.05, .slow_by = 0.0619});
  add("1 start in 5 is 6 % slower", {.slow_share = 0.2, .slow_by = 0.0619});
  for (const auto& [name, by] :
       {std::pair("later sessions -1 %", -0.01), std::pair("later sessions -2 %", -0.02),
        std::pair("later sessions -3 %", -0.03), std::pair("later sessions +1 %", 0.01),
        std::pair("later sessions +2 %", 0.02), std::pair("later sessions +3 %", 0.03)}) {
    add(name, {.later_sessions = by});
  }
  add("each start 1 % slower", {.each_start = -0.01});
  add("node x start 1 %", {.of_node = 0.01});
  add("first start 3 % slower on half of the nodes", {.half_first_start = -0.03});
  add("8 devices: the model", {}, 8);
  add("8 devices: starts t 2.5", {.shape = StartShape::kHeavy}, 8);
  add("8 devices: 1 start in 5 is 6 % slower", {.slow_share = 0.2, .slow_by = 0.0619}, 8);
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
  add_beyond_model(all);
  return all;
}

}  // namespace

void accept_limit_section(const Study& study) {
  for_each_of_mine(study, 51'000'000, scenarios(), [&](Random& random, const Scenario& scenario) {
    simulate(random, scenario, study.trials);
  });
}

}  // namespace scalemark::trials::acceptance_limit
