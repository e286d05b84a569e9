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

std::string_view title(Group group) {
  switch (group) {
    case Group::kWhat:
      return "What is trained";
    case Group::kSize:
      return "Size of a step";
    case Group::kRecipe:
      return "Recipe (defaults: the workload's own)";
    case Group::kParallel:
      return "How it is computed and exchanged";
    case Group::kLoading:
      return "Data loading";
    case Group::kMeasuring:
      return "Measuring";
    case Group::kSweeping:
      return "Sweep";
    case Group::kCollectives:
      return "Collectives (each takes a list)";
    case Group::kLaunch:
      return "Launching";
    case Group::kTool:
      return "Options";
    case Group::kGeneral:
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
