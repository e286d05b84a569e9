// The sections of the simulation study. Each runs its scenarios and prints one JSON object per
// scenario and line; scripts/statistics judges them and writes docs/STATISTICS.md.
#pragma once

#include <cstdint>

namespace scalemark::trials {

struct Study {
  std::uint64_t seed = 1;
  int trials = 5000;                  // per scenario
  std::uint64_t part = 0, parts = 1;  // of the scenarios: several processes share the work
  bool every_scenario = true;         // false: the few of CI
};

inline bool is_mine(const Study& study, std::uint64_t scenario) {
  return scenario % study.parts == study.part;
}

void coverage_section(const Study& study);          // throughput, efficiency, within a run, drift
void stop_rule_section(const Study& study);         // the same with --until-ci
void comparison_section(const Study& study);        // false alarms and power
void steady_section(const Study& study);            // windows that are steady, and that are not
void within_run_section(const Study& study);        // the interval of one run's mean
void straggler_section(const Study& study);         // a planted slow rank, and none
void decomposition_section(const Study& study);     // shares of lost efficiency add up
void communication_section(const Study& study);     // cost, contention, waits for peers and data
void devices_section(const Study& study);           // efficiency where devices differ
void straggler_points_section(const Study& study);  // the same at twelve points of a sweep
void sessions_section(const Study& study);          // resumed sweeps
void correlated_section(const Study& study);        // runs that resemble their neighbours
void effects_section(const Study& study);           // what options give
void tuning_section(const Study& study);            // the search of --tune
void attempts_section(const Study& study);          // runs that are measured again
void variance_section(const Study& study);          // steps, runs, sessions, and what to buy
void not_normal_section(const Study& study);        // runs that are not normal, and normal ones
void until_sure_section(const Study& study);        // --until-ci on runs of every kind
void levels_section(const Study& study);            // runs on one level and on two
void fastest_section(const Study& study);           // what the largest of twelve is told apart from
void accept_limit_section(const Study& study);      // a device at the limit of acceptance
void accept_baseline_section(const Study& study);   // the same, by a baseline that was measured
void accept_healthy_section(const Study& study);    // fleets of which nobody is to fail
void accept_bad_section(const Study& study);        // fleets with slow devices
void accept_nodes_section(const Study& study);      // is it the node, or its devices?
void accept_kinds_section(const Study& study);      // two levels, slow in some runs, one run

}  // namespace scalemark::trials
