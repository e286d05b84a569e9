// The sections of the simulation study. Each runs its scenarios and prints one JSON object per
// scenario and line; scripts/statistics judges them and writes STATISTICS.md. A section is an
// experiment by itself, in a namespace of its own: others use the same words for their scenarios.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tools/statistics/generator.h"

namespace scalemark::trials {

struct Study {
  std::uint64_t seed = 1;
  int trials = 5000;                  // per scenario
  std::uint64_t part = 0, parts = 1;  // several processes share the scenarios
  bool every_scenario = true;         // false: the few of CI
};

inline bool is_mine(const Study& study, std::uint64_t scenario) {
  return scenario % study.parts == study.part;
}

// Calls `body` for this process's part of the scenarios, the first of which is number + 1.
template <class Scenarios, class Body>
void for_each_of_mine(const Study& study, std::uint64_t number, const Scenarios& scenarios,
                      Body body) {
  for (const auto& scenario : scenarios) {
    if (!is_mine(study, ++number)) continue;
    Random random = random_for(study.seed, number);
    body(random, scenario);
  }
}

struct Section {
  std::string_view name;
  void (*run)(const Study& study);
};

// The command COMMAND SECTION TRIALS SEED every|few PART PARTS, which simulates every PARTS-th
// scenario of one of `sections`. Returns its exit code.
int run_section(std::span<const Section> sections, int argc, char** argv);

namespace coverage {
void coverage_section(const Study& study);   // throughput, efficiency, within a run, drift
void stop_rule_section(const Study& study);  // the same with --until-ci
}  // namespace coverage
namespace comparison {
void comparison_section(const Study& study);  // false alarms and power
}  // namespace comparison
namespace steady {
void steady_section(const Study& study);  // windows that are steady, and that are not
}  // namespace steady
namespace within_run {
void within_run_section(const Study& study);  // the interval of one run's mean
}  // namespace within_run
namespace stragglers {
void straggler_section(const Study& study);  // a planted slow rank, and none
}  // namespace stragglers
namespace decomposition {
void decomposition_section(const Study& study);  // shares of lost efficiency add up
}  // namespace decomposition
namespace communication {
void communication_section(const Study& study);  // cost, contention, waits for peers and data
}  // namespace communication
namespace devices {
void devices_section(const Study& study);  // efficiency where devices differ
}  // namespace devices
namespace straggler_points {
void straggler_points_section(const Study& study);  // the same at twelve points of a sweep
}  // namespace straggler_points
namespace sessions {
void sessions_section(const Study& study);  // resumed sweeps
}  // namespace sessions
namespace correlated {
void correlated_section(const Study& study);  // runs that resemble their neighbours
}  // namespace correlated
namespace effects {
void effects_section(const Study& study);  // effects of options
void tuning_section(const Study& study);   // the search of --tune
}  // namespace effects
namespace attempts {
void attempts_section(const Study& study);  // runs that are measured again
}  // namespace attempts
namespace variance {
void variance_section(const Study& study);  // steps, runs, sessions, and what to buy
}  // namespace variance
namespace not_normal {
void not_normal_section(const Study& study);  // runs that are not normal, and normal ones
}  // namespace not_normal
namespace until_sure {
void until_sure_section(const Study& study);  // --until-ci on runs of every kind
}  // namespace until_sure
namespace levels {
void levels_section(const Study& study);  // runs on one level and on two
}  // namespace levels
namespace fastest {
void fastest_section(const Study& study);  // the largest of twelve against the others
}  // namespace fastest
namespace acceptance_limit {
void accept_limit_section(const Study& study);  // a device at the limit of acceptance
}  // namespace acceptance_limit
namespace acceptance_measured {
void accept_baseline_section(const Study& study);  // the same, by a baseline that was measured
}  // namespace acceptance_measured
namespace acceptance_fleets {
void accept_healthy_section(const Study& study);  // fleets of which nobody is to fail
void accept_bad_section(const Study& study);      // fleets with slow devices
void accept_nodes_section(const Study& study);    // is it the node, or its devices?
}  // namespace acceptance_fleets
namespace acceptance_kinds {
void accept_kinds_section(const Study& study);  // two levels, slow in some runs, one run
}  // namespace acceptance_kinds
namespace acceptance_whole {
void accept_whole_section(const Study& study);  // all checks of the standard rules, whole sessions
}  // namespace acceptance_whole
namespace acceptance_as_one {
void accept_as_one_section(const Study& study);  // floors of the network and of the training
}  // namespace acceptance_as_one

}  // namespace scalemark::trials
