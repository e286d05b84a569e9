// Fleets that as one are truly at the limit of a floor, and below it: all-reduces under full load,
// whose slowest part is judged, and the scaling efficiency of a training.
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "report/accept/acceptance.h"
#include "tests/report/sample_fleet.h"
#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_as_one {
namespace {

using acceptance::Metric;
using acceptance::Outcome;
using reporting::FleetShape;
using reporting::MeasuredRate;

constexpr double kBelow = 0.85;   // such a share of the limit is surely not to pass
constexpr double kHealthy = 1.4;  // other parts reach this share of the limit

// Every number is a standard deviation of ln of a rate.
struct Scenario {
  Metric metric;
  const char* kind;
  int nodes;
  double noise = 0.03;    // runs of an all-reduce, starts of a training
  bool one_part = false;  // one part of each division is at the limit, the others are healthy
  bool differ = false;    // every second part or node has three times the noise
  bool heavy = false;     // noise is Student's t with 2.5 degrees of freedom
  double nodes_by = 0;    // nodes differ
  bool two_bins = false;  // half of the nodes are 4 % slower
  double each_start = 0;  // every start is so much slower than the one before
  bool beyond_model = false;
};

double drawn(Random& random, const Scenario& like, int part) {
  const double sd = like.noise * (like.differ && part % 2 == 1 ? 3 : 1);
  return sd * (like.heavy ? heavy(random) : normal(random));
}

// The first part of a division is at the limit, or all are.
FleetShape under_load(Random& random, const Scenario& like, double limit) {
  FleetShape shape{.nodes = like.nodes, .devices = 2, .starts = 1};
  shape.under_load = [&random, &like, limit](int, int part, int) {
    const bool at_limit = !like.one_part || part == 0;
    return std::log(limit * (at_limit ? 1 : kHealthy)) + drawn(random, like, part);
  };
  return shape;
}

// A training of all nodes is one start, whose runs differ by half of the noise.
std::vector<reporting::NamedReport> trained(Random& random, const Scenario& like, double limit) {
  constexpr int kStarts = 3;
  std::vector<double> levels;
  double sum = 0;
  for (int node = 0; node < like.nodes; ++node) {
    levels.push_back(like.nodes_by * normal(random) +
                     (like.two_bins && node % 2 == 0 ? std::log1p(-0.04) : 0));
    sum += std::exp(levels.back());
  }
  FleetShape shape{.nodes = like.nodes, .devices = 2, .starts = kStarts};
  shape.device_sd = shape.run_sd = 0;
  shape.links = false;
  shape.training = true;
  shape.efficiency = 1;
  shape.effect = [&](int node, int device, int start, MeasuredRate) {
    if (device >= 0) return 0.0;
    return levels[static_cast<std::size_t>(node)] - like.each_start * start +
           drawn(random, like, node);
  };
  auto fleet = reporting::sample_fleet(shape);
  const double rate = reporting::kRateOfDevice * shape.devices * sum * limit;
  const double start = drawn(random, like, 0) - like.each_start * kStarts;
  for (reporting::PointRecord& run : fleet.back().report.points) {
    run.samples_per_sec = rate * std::exp(start + 0.5 * like.noise * normal(random));
  }
  return fleet;
}

// The share of the judged values that have this outcome.
struct Outcomes {
  TrialMean passed, failed, unsure;
};

void judge(Random& random, const Scenario& like, const acceptance::Rules& rules, double limit,
           Outcomes& outcomes) {
  const auto fleet = like.metric == Metric::kFleetAllReduce
                         ? reporting::sample_fleet(under_load(random, like, limit))
                         : trained(random, like, limit);
  for (const auto& result : acceptance::accept(fleet, rules, {}).results) {
    if (result.check != rules.checks.front().name || !result.limit) continue;
    outcomes.passed.add(result.outcome == Outcome::kPassed);
    outcomes.failed.add(result.outcome == Outcome::kFailed);
    outcomes.unsure.add(result.outcome == Outcome::kUnsure);
  }
}

void simulate(Random& random, const Scenario& like, int trials) {
  acceptance::Rules rules = shipped_rules("standard.json");
  std::erase_if(rules.checks, [&](const auto& rule) { return rule.metric != like.metric; });
  const bool is_share = rules.checks.front().of != acceptance::LimitOf::kNumber;
  const double limit = rules.checks.front().limit / (is_share ? 1 : 100);
  Outcomes at, below, healthy;
  for (int trial = 0; trial < trials; ++trial) {
    judge(random, like, rules, limit, at);
    judge(random, like, rules, kBelow * limit, below);
    judge(random, like, rules, std::min(0.98, kHealthy * limit), healthy);
  }
  std::printf(
      "{\"section\": \"accept_as_one\", \"of\": \"%s\", \"kind\": \"%s\", \"nodes\": %d, "
      "\"noise\": %g, \"beyond_model\": \"%s\", \"trials\": %d",
      std::string(acceptance::definition_of(like.metric).name).c_str(), like.kind, like.nodes,
      like.noise, like.beyond_model ? like.kind : "", trials);
  print_mean("wrong_pass", at.passed);
  print_mean("wrong_fail", at.failed);
  print_mean("below_passed", below.passed);
  print_mean("below_failed", below.failed);
  print_mean("healthy_failed", healthy.failed);
  print_mean("healthy_unsure", healthy.unsure);
  std::printf("}\n");
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const int nodes : {4, 16, 64}) {
    for (const double noise : {0.01, 0.03}) {
      all.push_back({Metric::kFleetAllReduce, "every part", nodes, noise});
      all.push_back({Metric::kFleetAllReduce, "one part", nodes, noise, true});
    }
    for (const double noise : {0.0058, 0.015}) {
      all.push_back({.metric = Metric::kScalingEfficiency,
                     .kind = "the model",
                     .nodes = nodes,
                     .noise = noise});
    }
  }
  const Scenario load{Metric::kFleetAllReduce, "", 16};
  const Scenario training{
      .metric = Metric::kScalingEfficiency, .kind = "", .nodes = 16, .noise = 0.0058};
  const auto add = [&](Scenario like, const char* kind, const auto& change) {
    like.kind = kind;
    change(like);
    all.push_back(like);
  };
  add(load, "one part, noise differs by 3",
      [](Scenario& s) { s.one_part = s.differ = s.beyond_model = true; });
  add(load, "every part, noise differs by 3",
      [](Scenario& s) { s.differ = s.beyond_model = true; });
  add(load, "every part, runs t 2.5", [](Scenario& s) { s.heavy = s.beyond_model = true; });
  add(training, "nodes differ by 2 %", [](Scenario& s) { s.nodes_by = 0.02; });
  add(training, "two bins 4 % apart", [](Scenario& s) { s.two_bins = true; });
  add(training, "noise differs by 3", [](Scenario& s) { s.differ = true; });
  add(training, "starts t 2.5", [](Scenario& s) { s.heavy = s.beyond_model = true; });
  add(training, "each start 1 % slower than the one before", [](Scenario& s) {
    s.each_start = 0.01;
    s.beyond_model = true;
  });
  return all;
}

}  // namespace

void accept_as_one_section(const Study& study) {
  for_each_of_mine(study, 58'000'000, scenarios(), [&](Random& random, const Scenario& scenario) {
    simulate(random, scenario, study.trials);
  });
}

}  // namespace scalemark::trials::acceptance_as_one
