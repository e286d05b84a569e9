#include "core/settings/command.h"

#include <array>

namespace scalemark::settings {
namespace {

struct CommandFacts {
  Command command;
  std::string_view name;
  unsigned groups;
};

constexpr std::array kCommands{
#define SCALEMARK_COMMAND(id, name, groups, function, summary) CommandFacts{id, name, groups},
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND
};

}  // namespace

std::string_view title(OptionGroup group) {
  switch (group) {
    case OptionGroup::kWhat:
      return "What is trained";
    case OptionGroup::kSize:
      return "Size of a step";
    case OptionGroup::kRecipe:
      return "Recipe (defaults: the workload's own)";
    case OptionGroup::kParallel:
      return "How it is computed and exchanged";
    case OptionGroup::kLoading:
      return "Data loading";
    case OptionGroup::kMeasuring:
      return "Measuring";
    case OptionGroup::kSweeping:
      return "Sweep";
    case OptionGroup::kCollectives:
      return "Collectives (each takes a list)";
    case OptionGroup::kLaunch:
      return "Launching";
    case OptionGroup::kTool:
      return "Options";
    case OptionGroup::kGeneral:
      return "General";
  }
  return "";
}

std::string_view command_name(Command command) {
  for (const CommandFacts& entry : kCommands) {
    if (entry.command == command) return entry.name;
  }
  return "?";
}

unsigned command_groups(Command command) {
  for (const CommandFacts& entry : kCommands) {
    if (entry.command == command) return entry.groups;
  }
  return kNoGroups;
}

std::optional<Command> find_command(std::string_view name) {
  for (const CommandFacts& entry : kCommands) {
    if (entry.name == name) return entry.command;
  }
  return std::nullopt;
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const CommandFacts& entry : kCommands) commands.push_back(entry.command);
  return commands;
}

}  // namespace scalemark::settings
