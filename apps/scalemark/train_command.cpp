// scalemark train: from options to a report.
#include <unistd.h>

#include <filesystem>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/library_folder.h"
#include "apps/scalemark/settings_table.h"
#include "apps/scalemark/settle.h"
#include "apps/scalemark/start_ranks.h"
#include "apps/scalemark/torch_folder.h"
#include "core/base/error.h"
#include "core/reporting/writer.h"

namespace scalemark::cli {
namespace {

void refuse_missing_file(const char* option, const std::string& path) {
  if (path.empty() || std::filesystem::exists(path)) return;
  throw no_input(std::string(option) + " '" + path + "' is not there");
}

void refuse_missing_inputs(const settings::Settings& settings) {
  if (settings.what.data != "synthetic") refuse_missing_file("--data", settings.what.data);
  refuse_missing_file("--vocab", settings.what.vocab);
  refuse_missing_file("--init-from", settings.recipe.init_from);
}

// Before anything is launched or loaded; the engine's rank 0 makes the folder.
void refuse_used_output(const Settled& settled) {
  const launching::Detection& detection = settled.detection;
  const int first = detection.node ? detection.node->node_rank : detection.world.rank;
  if (first != 0) return;
  reporting::refuse_used_folder(settled.settings.general.output,
                                settled.settings.general.overwrite
                                    ? reporting::ExistingFolder::kOverwrite
                                    : reporting::ExistingFolder::kRefuse);
}

ExitCode print_settings(const Settled& settled) {
  const bool json = settled.settings.general.log_format == "json";
  return print_result(json ? settings_document(settled.settings)
                           : settings_table(settled.settings, settled.ranks.world_size));
}

ExitCode run_as_rank(const Invocation& invocation, Settled settled, const TorchFolder& torch) {
  settled.settings.general.torch = torch.path.string();
  const running::EngineApi& engine = load_engine(torch);
  const launching::Detection& detection = settled.detection;
  return engine.train({.settings = std::move(settled.settings),
                       .world = detection.world,
                       .rendezvous = detection.rendezvous,
                       .command_line = invocation.command_line,
                       .library_folder = library_folder().string(),
                       .error_file = detection.error_file,
                       .terminal = detection.terminal.value_or(isatty(STDERR_FILENO) == 1)});
}

}  // namespace

ExitCode train_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) exactly(invocation, 0, "options only");
  Settled settled = settle(invocation);  // every problem at once, before anything is touched
  if (settled.settings.general.dry_run) return print_settings(settled);

  refuse_missing_inputs(settled.settings);
  const TorchFolder torch = find_torch(settled.settings.general.torch);
  refuse_used_output(settled);
  if (settled.detection.node) return start_ranks(invocation, settled);
  return run_as_rank(invocation, std::move(settled), torch);
}

}  // namespace scalemark::cli
