#include "apps/scalemark/rank_request.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "apps/scalemark/library_folder.h"
#include "core/base/error.h"

namespace scalemark::cli {
namespace {

void refuse_missing_file(const char* option, const std::string& path) {
  if (path.empty() || std::filesystem::exists(path)) return;
  throw no_input(std::string(option) + " '" + path + "' is not there",
                 "a path that exists is expected");
}

}  // namespace

void refuse_missing_inputs(const settings::Settings& settings) {
  if (settings.task.data != "synthetic") refuse_missing_file("--data", settings.task.data);
  refuse_missing_file("--vocab", settings.task.vocab);
  refuse_missing_file("--init-from", settings.recipe.init_from);
}

bool holds_rank_0(const launching::Detection& detection) {
  return (detection.node ? detection.node->node_rank : detection.world.rank) == 0;
}

void refuse_used_output(const ResolvedCommand& resolved, reporting::ExistingFolder existing) {
  if (!holds_rank_0(resolved.detection)) return;
  reporting::refuse_used_folder(resolved.settings.general.output, existing);
}

process::RunRequest rank_request(const Invocation& invocation, const ResolvedCommand& resolved) {
  const launching::Detection& detection = resolved.detection;
  return {.settings = process::process_settings(resolved.settings),
          .world = detection.world,
          .rendezvous = detection.rendezvous,
          .command_line = invocation.command_line,
          .library_folder = library_folder().string(),
          .mpi_library = resolved.mpi_library,
          .error_file = detection.error_file,
          .given_cpus = resolved.given_cpus,
          .terminal = detection.terminal.value_or(isatty(STDERR_FILENO) == 1)};
}

}  // namespace scalemark::cli
