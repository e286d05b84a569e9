// The study of every rule but that of accept, which acceptance_trials.cpp has.
#include "tools/programs/commands.h"
#include "tools/statistics/sections.h"

int scalemark::commands::statistics_trials(int argc, char** argv) {
  static constexpr trials::Section kSections[] = {
      {"coverage", trials::coverage::coverage_section},
      {"stop_rule", trials::coverage::stop_rule_section},
      {"compare", trials::comparison::comparison_section},
      {"steady", trials::steady::steady_section},
      {"within_run", trials::within_run::within_run_section},
      {"straggler", trials::stragglers::straggler_section},
      {"decomposition", trials::decomposition::decomposition_section},
      {"communication", trials::communication::communication_section},
      {"devices", trials::devices::devices_section},
      {"straggler_points", trials::straggler_points::straggler_points_section},
      {"sessions", trials::sessions::sessions_section},
      {"correlated", trials::correlated::correlated_section},
      {"effects", trials::effects::effects_section},
      {"tuning", trials::effects::tuning_section},
      {"attempts", trials::attempts::attempts_section},
      {"variance", trials::variance::variance_section},
      {"not_normal", trials::not_normal::not_normal_section},
      {"until_sure", trials::until_sure::until_sure_section},
      {"levels", trials::levels::levels_section},
      {"fastest", trials::fastest::fastest_section}};
  return trials::run_section(kSections, argc, argv);
}
