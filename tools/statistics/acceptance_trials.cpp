// The study of the rule of accept. CI runs it: core_tool has it, not statistics_tool.
#include "tools/programs/commands.h"
#include "tools/statistics/sections.h"

int scalemark::commands::acceptance_trials(int argc, char** argv) {
  static constexpr trials::Section kSections[] = {
      {"accept_limit", trials::acceptance_limit::accept_limit_section},
      {"accept_baseline", trials::acceptance_measured::accept_baseline_section},
      {"accept_healthy", trials::acceptance_fleets::accept_healthy_section},
      {"accept_bad", trials::acceptance_fleets::accept_bad_section},
      {"accept_nodes", trials::acceptance_fleets::accept_nodes_section},
      {"accept_kinds", trials::acceptance_kinds::accept_kinds_section},
      {"accept_whole", trials::acceptance_whole::accept_whole_section},
      {"accept_as_one", trials::acceptance_as_one::accept_as_one_section}};
  return trials::run_section(kSections, argc, argv);
}
