// statistics-trials SECTION TRIALS SEED every|few PART PARTS: simulates every PARTS-th scenario and
// prints one JSON object a line.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/core/statistics/trials/sections.h"
#include "tools/programs/commands.h"

int scalemark::commands::statistics_trials(int argc, char** argv) {
  namespace trials = scalemark::trials;
  const std::map<std::string, void (*)(const trials::Study&)> sections{
      {"coverage", trials::coverage_section},
      {"stop_rule", trials::stop_rule_section},
      {"compare", trials::comparison_section},
      {"steady", trials::steady_section},
      {"within_run", trials::within_run_section},
      {"straggler", trials::straggler_section},
      {"decomposition", trials::decomposition_section},
      {"communication", trials::communication_section},
      {"devices", trials::devices_section},
      {"straggler_points", trials::straggler_points_section},
      {"sessions", trials::sessions_section},
      {"correlated", trials::correlated_section},
      {"effects", trials::effects_section},
      {"tuning", trials::tuning_section},
      {"attempts", trials::attempts_section},
      {"variance", trials::variance_section},
      {"not_normal", trials::not_normal_section},
      {"until_sure", trials::until_sure_section},
      {"levels", trials::levels_section},
      {"fastest", trials::fastest_section},
      {"accept_limit", trials::accept_limit_section},
      {"accept_baseline", trials::accept_baseline_section},
      {"accept_healthy", trials::accept_healthy_section},
      {"accept_bad", trials::accept_bad_section},
      {"accept_nodes", trials::accept_nodes_section},
      {"accept_kinds", trials::accept_kinds_section}};
  if (argc != 7 || !sections.contains(argv[1]) || std::atoi(argv[2]) < 1) {
    std::cerr << "usage: statistics-trials SECTION TRIALS SEED every|few PART PARTS\nsections:";
    for (const auto& [name, run] : sections) std::cerr << ' ' << name;
    std::cerr << '\n';
    return 64;
  }
  sections.at(argv[1])({.seed = std::strtoull(argv[3], nullptr, 10),
                        .trials = std::atoi(argv[2]),
                        .part = std::strtoull(argv[5], nullptr, 10),
                        .parts = std::max(1ULL, std::strtoull(argv[6], nullptr, 10)),
                        .every_scenario = std::string(argv[4]) == "every"});
  return 0;
}
