// The commands of the programs that tests and scripts start. Each function is as main() would be in
// a program of its own: argv[0] is the command's word, and the result is the exit code.
#pragma once

namespace scalemark::commands {

#define SCALEMARK_COMMAND(word, function) int function(int argc, char** argv);
#include "tools/programs/core_tool.inc"
#include "tools/programs/data_tool.inc"
#include "tools/programs/statistics_tool.inc"
#include "tools/programs/torch_tool.inc"
#undef SCALEMARK_COMMAND

}  // namespace scalemark::commands
