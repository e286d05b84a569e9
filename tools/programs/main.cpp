// core_tool, data_tool, statistics_tool and torch_tool: PROGRAM COMMAND ARGUMENTS... The list of
// commands is the file that the build names.
#include <cstdio>
#include <string_view>

#include "tools/programs/commands.h"

namespace {

struct Command {
  std::string_view word;
  int (*run)(int argc, char** argv);
};

constexpr Command kCommands[] = {
#define SCALEMARK_COMMAND(word, function) {word, scalemark::commands::function},
#include SCALEMARK_COMMANDS
#undef SCALEMARK_COMMAND
};

}  // namespace

int main(int argc, char** argv) {
  for (const Command& command : kCommands) {
    if (argc > 1 && command.word == argv[1]) return command.run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "usage: COMMAND ARGUMENTS...; commands:");
  for (const Command& command : kCommands) std::fprintf(stderr, " %s", command.word.data());
  std::fprintf(stderr, "\n");
  return 64;
}
