// Whole fleets, accepted against themselves: healthy ones by several checks, and such with slow
// devices and slow nodes among them.
#include <algorithm>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_fleets {
namespace {

using statistics::AcceptanceDoubt;
using statistics::AcceptanceOutcome;
using statistics::ClassJudgement;

constexpr double kSlowBy = 0.08;
constexpr std::size_t kChecks = 8;

ClassJudgement accepted(Random& random, const Levels& levels, std::size_t per_node,
                        double* repetitions) {
  MeasuredFleet fleet(random, levels, per_node, {});
  fleet.start_all(3);
  auto judgement = fleet.judge({});
  *repetitions = fleet.repetitions();
  return judgement;
}

struct Healthy {
  TrialMean below, failed, wrongly, unsure, doubt, repetitions;  // devices, or checks, of a fleet
};

// A device is faster or slower by mostly the same in all checks.
Levels levels_of_check(Random& random, const Levels& common, const Fleet& fleet) {
  Levels levels = common;
  for (double& level : levels) level += 0.55 * fleet.device * normal(random);
  return levels;
}

struct Flags {
  std::vector<bool> below, failed, wrongly, unsure;
  explicit Flags(std::size_t devices)
      : below(devices), failed(devices), wrongly(devices), unsure(devices) {}
};

void mark(const Levels& levels, const ClassJudgement& judgement, Flags& flags) {
  const double limit = true_reference(levels) + judgement.limit;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto outcome = judgement.parts[i].outcome;
    const bool is_below = levels[i] < limit, failed = outcome == AcceptanceOutcome::kFail;
    if (is_below) flags.below[i] = true;
    if (failed) flags.failed[i] = true;
    if (failed && !is_below) flags.wrongly[i] = true;
    if (outcome == AcceptanceOutcome::kUnsure) flags.unsure[i] = true;
  }
}

double count(const std::vector<bool>& flags) {
  double all = 0;
  for (const bool flag : flags) all += flag;
  return all;
}

void simulate_healthy(Random& random, const Fleet& fleet, Healthy& sums) {
  Fleet common_part = fleet;
  common_part.device *= 0.84;
  const Levels common = levels_of(random, common_part);
  Flags flags(common.size());
  double doubted = 0, repetitions = 0;
  for (std::size_t check = 0; check < kChecks; ++check) {
    const Levels levels = levels_of_check(random, common, fleet);
    const auto judgement = accepted(random, levels, fleet.per_node, &repetitions);
    mark(levels, judgement, flags);
    doubted += judgement.doubt != AcceptanceDoubt::kNone;
    sums.repetitions.add(repetitions);
  }
  sums.below.add(count(flags.below));
  sums.failed.add(count(flags.failed));
  sums.wrongly.add(count(flags.wrongly));
  sums.unsure.add(count(flags.unsure));
  sums.doubt.add(doubted / static_cast<double>(kChecks));
}

void healthy(Random& random, const Fleet& fleet, int trials) {
  Healthy sums;
  for (int trial = 0; trial < trials; ++trial) simulate_healthy(random, fleet, sums);
  std::printf("{\"section\": \"accept_healthy\", \"shape\": \"%s\", \"device\": %g, \"trials\": %d",
              name_of(fleet.shape), fleet.device, trials);
  print_mean("below", sums.below);
  print_mean("failed", sums.failed);
  print_mean("wrongly", sums.wrongly);
  print_mean("unsure", sums.unsure);
  print_mean("doubt", sums.doubt);
  print_mean("repetitions", sums.repetitions);
  std::printf("}\n");
}

// Each device is bad with probability `share`, or the first node has `count` bad ones.
struct Bad {
  Fleet fleet;
  double share = 0;
  std::size_t count = 0;
};

struct BadSums {
  TrialMean failed, passed, healthy_failed, doubt, repetitions;
};

std::vector<bool> which_are_bad(Random& random, const Bad& bad) {
  boost::random::uniform_01<double> uniform;
  std::vector<bool> which;
  for (std::size_t i = 0; i < bad.fleet.devices(); ++i) {
    which.push_back(i < bad.count || uniform(random) < bad.share);
  }
  return which;
}

void simulate_bad(Random& random, const Bad& bad, BadSums& sums) {
  const std::vector<bool> is_bad = which_are_bad(random, bad);
  Levels levels = levels_of(random, bad.fleet);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] += is_bad[i] ? std::log1p(-kSlowBy) : 0;
  double repetitions = 0;
  const auto judgement = accepted(random, levels, bad.fleet.per_node, &repetitions);
  double failed = 0, passed = 0, healthy_failed = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto outcome = judgement.parts[i].outcome;
    failed += is_bad[i] && outcome == AcceptanceOutcome::kFail;
    passed += is_bad[i] && outcome == AcceptanceOutcome::kPass;
    healthy_failed += !is_bad[i] && outcome == AcceptanceOutcome::kFail;
  }
  const double all_bad = std::max(1.0, count(is_bad));
  sums.failed.add(failed / all_bad);
  sums.passed.add(passed / all_bad);
  sums.healthy_failed.add(healthy_failed);
  sums.doubt.add(judgement.doubt != AcceptanceDoubt::kNone);
  sums.repetitions.add(repetitions);
}

void bad_devices(Random& random, const Bad& bad, int trials) {
  BadSums sums;
  for (int trial = 0; trial < trials; ++trial) simulate_bad(random, bad, sums);
  std::printf(
      "{\"section\": \"accept_bad\", \"devices\": %zu, \"share\": %g, \"bad\": %zu, \"trials\": %d",
      bad.fleet.devices(), bad.share, bad.count, trials);
  print_mean("failed", sums.failed);
  print_mean("passed", sums.passed);
  print_mean("healthy_failed", sums.healthy_failed);
  print_mean("doubt", sums.doubt);
  print_mean("repetitions", sums.repetitions);
  std::printf("}\n");
}

std::vector<Bad> bad_scenarios() {
  std::vector<Bad> all;
  for (const double share : {0.05, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}) {
    all.push_back({.share = share});
  }
  for (const std::size_t devices : {4, 8}) {
    for (std::size_t count = 1; 2 * count <= devices; ++count) {
      all.push_back({.fleet = {.nodes = 1, .per_node = devices, .node = 0}, .count = count});
    }
  }
  return all;
}

// So many devices of the first node are slower by `slow_by`.
struct Planted {
  const char* what;
  std::size_t devices;
  double slow_by;
};

std::vector<bool> blamed_nodes(const ClassJudgement& judgement, const Fleet& fleet) {
  std::vector<bool> blamed;
  for (std::size_t node = 0; node < fleet.nodes; ++node) {
    std::vector<AcceptanceOutcome> devices;
    for (std::size_t i = 0; i < fleet.per_node; ++i) {
      devices.push_back(judgement.parts[node * fleet.per_node + i].outcome);
    }
    blamed.push_back(statistics::is_node_at_fault(devices));
  }
  return blamed;
}

void node_or_device(Random& random, const Planted& planted, int trials) {
  const Fleet fleet;
  TrialMean blamed, right, others;
  for (int trial = 0; trial < trials; ++trial) {
    Levels levels = levels_of(random, fleet);
    for (std::size_t i = 0; i < planted.devices; ++i) levels[i] += std::log1p(-planted.slow_by);
    double repetitions = 0;
    const auto nodes = blamed_nodes(accepted(random, levels, fleet.per_node, &repetitions), fleet);
    const double others_blamed = count(nodes) - nodes[0];
    blamed.add(nodes[0]);
    others.add(others_blamed);
    right.add(nodes[0] == (2 * planted.devices >= fleet.per_node) && others_blamed == 0);
  }
  std::printf(
      "{\"section\": \"accept_nodes\", \"what\": \"%s\", \"devices\": %zu, \"slow_by\": %g, "
      "\"trials\": %d",
      planted.what, planted.devices, planted.slow_by, trials);
  print_mean("blamed", blamed);
  print_mean("right", right);
  print_mean("others", others);
  std::printf("}\n");
}

}  // namespace

void accept_healthy_section(const Study& study) {
  std::uint64_t number = 52'000'000;
  for (const Shape shape : {Shape::kNormal, Shape::kSkewed, Shape::kHeavyTails}) {
    for (const double device : {0.005, 0.01, 0.015}) {
      if (!is_mine(study, ++number)) continue;
      Random random = random_for(study.seed, number);
      healthy(random, {.device = device, .node = 0.4 * device, .shape = shape}, study.trials);
    }
  }
}

void accept_bad_section(const Study& study) {
  for_each_of_mine(study, 53'000'000, bad_scenarios(),
                   [&](Random& random, const Bad& bad) { bad_devices(random, bad, study.trials); });
}

void accept_nodes_section(const Study& study) {
  const Planted all[] = {{"one device", 1, 0.08},
                         {"three devices", 3, 0.08},
                         {"half of the node", 4, 0.08},
                         {"the node", 8, 0.08},
                         {"the node", 8, 0.06}};
  for_each_of_mine(study, 54'000'000, all, [&](Random& random, const Planted& planted) {
    node_or_device(random, planted, study.trials);
  });
}

}  // namespace scalemark::trials::acceptance_fleets
