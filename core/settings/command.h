// The commands of the program, made from command_list.inc: as bits, so that an option can name
// several. apps/scalemark implements them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace scalemark::settings {

enum class OptionGroup {
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

constexpr unsigned bit(OptionGroup group) { return 1u << static_cast<unsigned>(group); }

inline constexpr unsigned kNoGroups = 0;
// Groups of options of the commands that train.
inline constexpr unsigned kRunGroups = bit(OptionGroup::kWhat) | bit(OptionGroup::kSize) |
                                       bit(OptionGroup::kRecipe) | bit(OptionGroup::kParallel) |
                                       bit(OptionGroup::kLoading) | bit(OptionGroup::kMeasuring) |
                                       bit(OptionGroup::kLaunch) | bit(OptionGroup::kGeneral);

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
  kTakesLists = kSweep | kComm,     // commands in which an option may have several values
};

std::string_view title(OptionGroup group);
std::string_view command_name(Command command);  // kDataGenerate -> "data generate"
unsigned command_groups(Command command);        // bits of the groups that it takes
std::optional<Command> find_command(std::string_view name);
std::vector<Command> all_commands();

}  // namespace scalemark::settings
