// The commands of the program, made from command_list.inc: as bits, so that an option can name
// several. apps/scalemark implements them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace scalemark::settings {

enum class Group {
  kWhat,
  kSize,
  kRecipe,
  kParallel,
  kLoading,
  kMeasuring,
  kSweeping,
  kCollectives,
  kLaunch,
  kTool,
  kGeneral
};

constexpr unsigned bit(Group group) { return 1u << static_cast<unsigned>(group); }

inline constexpr unsigned kNoGroups = 0;
// Groups of options of the commands that train.
inline constexpr unsigned kRunGroups =
    bit(Group::kWhat) | bit(Group::kSize) | bit(Group::kRecipe) | bit(Group::kParallel) |
    bit(Group::kLoading) | bit(Group::kMeasuring) | bit(Group::kLaunch) | bit(Group::kGeneral);

namespace command_index {
enum Index : unsigned {
#define SCALEMARK_COMMAND(id, name, groups, function, summary) id,
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND
  kCount
};
}  // namespace command_index

enum Command : unsigned {
#define SCALEMARK_COMMAND(id, name, groups, function, summary) id = 1u << command_index::id,
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND
  kEveryCommand = (1u << command_index::kCount) - 1,
  kRuns = kTrain | kSweep | kComm,  // commands with ranks
  kTakesLists = kSweep | kComm,     // in which an option may have several values
};

std::string_view title(Group group);
std::string_view command_name(Command command);  // kDataGenerate -> "data generate"
unsigned command_groups(Command command);        // bits of the groups that it takes
std::optional<Command> find_command(std::string_view name);
std::vector<Command> all_commands();

}  // namespace scalemark::settings
