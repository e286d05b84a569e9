#include "apps/scalemark/commands.h"

#include "core/base/error.h"

namespace scalemark::cli {
namespace {

const CommandRow kRows[] = {
#define SCALEMARK_COMMAND(id, name, groups, function, summary) \
  {settings::id, summary, &function##_page, function##_command},
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND
};

}  // namespace

std::span<const CommandRow> command_rows() { return kRows; }

const CommandRow& row_of(settings::Command command) {
  for (const CommandRow& row : kRows) {
    if (row.command == command) return row;
  }
  throw bug("a command without a row");
}

}  // namespace scalemark::cli
