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
  if (settings.what.data != "synthetic") refuse_missing_file("--data", settings.what.data);
  refuse_missing_file("--vocab", settings.what.vocab);
  refuse_missing_file("--init-from", settings.recipe.init_from);
}

bool holds_rank_0(const launching::Detection& detection) {
  return (detection.node ? detection.node->node_rank : detection.world.rank) == 0;
}

void refuse_used_output(const Settled& settled, reporting::ExistingFolder existing) {
  if (!holds_rank_0(settled.detection)) return;
  reporting::refuse_used_folder(settled.settings.general.output, existing);
}

running::RunRequest rank_request(const Invocation& invocation, Settled settled,
                                 const TorchFolder& torch) {
  settled.settings.general.torch = torch.path.string();
  const launching::Detection& detection = settled.detection;
  return {.settings = std::move(settled.settings),
          .world = detection.world,
          .rendezvous = detection.rendezvous,
          .command_line = invocation.command_line,
          .library_folder = library_folder().string(),
          .error_file = detection.error_file,
          .terminal = detection.terminal.value_or(isatty(STDERR_FILENO) == 1)};
}

}  // namespace scalemark::cli
