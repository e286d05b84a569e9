// Acceptance where repetitions have two levels, where a device is slow in some runs only, and by
// one run.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_kinds {
namespace {

using statistics::AcceptanceOutcome;
using statistics::AcceptanceReason;
using statistics::AcceptanceRule;

struct Scenario {
  const char* kind;  // "two levels" | "one run" | "intermittent"
  double below;      // the first device is this share slower than the reference
  Starts starts{};
  std::size_t runs = 3;  // every device has so many before the first judgement
};

struct Sums {
  TrialMean pass, fail, unsure, intermittent, others_failed, others_not_passed;
};

AcceptanceRule rule_of(const Scenario& scenario) {
  if (scenario.kind[0] == 'o') return {.tolerance = 0.1, .looks = {1}};
  return {};
}

void add(const statistics::ClassJudgement& judgement, Sums& sums) {
  const auto& first = judgement.parts.front();
  sums.pass.add(first.outcome == AcceptanceOutcome::kPass);
  sums.fail.add(first.outcome == AcceptanceOutcome::kFail);
  sums.unsure.add(first.outcome == AcceptanceOutcome::kUnsure);
  sums.intermittent.add(first.reason == AcceptanceReason::kIntermittent);
  double failed = 0, passed = 0;
  for (const auto& part : judgement.parts) {
    failed += part.outcome == AcceptanceOutcome::kFail;
    passed += part.outcome == AcceptanceOutcome::kPass;
  }
  sums.others_failed.add(failed - (first.outcome == AcceptanceOutcome::kFail));
  sums.others_not_passed.add(static_cast<double>(judgement.parts.size() - 1) -
                             (passed - (first.outcome == AcceptanceOutcome::kPass)));
}

void simulate(Random& random, const Scenario& scenario, Sums& sums) {
  const Fleet shape;
  Levels levels = levels_of(random, shape);
  plant(levels, 0, -std::log1p(-scenario.below));
  MeasuredFleet fleet(random, std::move(levels), shape.per_node, scenario.starts);
  fleet.start_all(scenario.runs);
  add(fleet.judge(rule_of(scenario)), sums);
}

void print(const Scenario& s, const Sums& sums, int trials) {
  std::printf(
      "{\"section\": \"accept_kinds\", \"kind\": \"%s\", \"below\": %g, \"noises_differ_by\": %g, "
      "\"share\": %g, \"slow_by\": %g, \"runs\": %zu, \"trials\": %d",
      s.kind, s.below, s.starts.noises_differ_by, s.starts.slow_share + s.starts.first_slow_share,
      s.starts.slow_by + s.starts.first_slow_by, s.runs, trials);
  print_mean("pass", sums.pass);
  print_mean("fail", sums.fail);
  print_mean("unsure", sums.unsure);
  print_mean("intermittent", sums.intermittent);
  print_mean("others_failed", sums.others_failed);
  print_mean("others_not_passed", sums.others_not_passed);
  std::printf("}\n");
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const double share : {0.05, 0.1}) {
    all.push_back({"two levels", 0.02, {.slow_share = share, .slow_by = 0.05}});
  }
  for (const double below : {0.0, 0.04, 0.08, 0.1, 0.12, 0.14, 0.16}) {
    all.push_back({.kind = "one run", .below = below, .runs = 1});
  }
  for (const std::size_t runs : {10, 20, 40}) {
    all.push_back({"intermittent", 0.02, {.first_slow_share = 0.2, .first_slow_by = 0.15}, runs});
    for (const double differ : {0.0, 0.4}) {
      all.push_back({"intermittent", 0.02, {.noises_differ_by = differ}, runs});
    }
  }
  return all;
}

}  // namespace

void accept_kinds_section(const Study& study) {
  for_each_of_mine(study, 55'000'000, scenarios(), [&](Random& random, const Scenario& scenario) {
    Sums sums;
    for (int trial = 0; trial < study.trials; ++trial) simulate(random, scenario, sums);
    print(scenario, sums, study.trials);
  });
}

}  // namespace scalemark::trials::acceptance_kinds
