// scalemark configs: the configurations that --config knows by name.
#include <string>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/memory_there.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/planning/forecast.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {

const HelpPage configs_page = {
    "[NAME]",
    "Lists the configurations that --config takes by name: what each shows, and how long it takes\n"
    "here by the plan. With a NAME it prints that one, to be changed and given as a file.",
    "  scalemark configs\n"
    "  scalemark configs rtx4090-mlp > mine.json\n"
    "  scalemark sweep --config rtx4090-mlp --scale-down\n"};

ExitCode configs_command(const Invocation& invocation) {
  read_tool_values(invocation);
  if (invocation.positionals.size() > 1) {
    throw usage("more than one name is given", "the name of one configuration, or none");
  }
  if (!invocation.positionals.empty()) {
    return print_data(std::string(settings::builtin_config(invocation.positionals.front())));
  }
  const planning::Surveyed here{.machine = probe_machine().machine, .memory = memory_there()};
  std::string text;
  for (const planning::ListedConfig& config : planning::listed_configs(here)) {
    text +=
        config.name + " (" + config.command + ", " + config.takes + ")\n  " + config.about + "\n";
  }
  return print_result(text +
                      "\nscalemark sweep --config NAME --scale-down   in minutes: shows the "
                      "method, not the number\n");
}

}  // namespace scalemark::cli
