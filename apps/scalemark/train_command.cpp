// scalemark train: from options to a report.
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/mpi_ranks.h"
#include "apps/scalemark/output_file.h"
#include "apps/scalemark/rank_environment.h"
#include "apps/scalemark/rank_request.h"
#include "apps/scalemark/resolve_command.h"
#include "apps/scalemark/settings_table.h"
#include "apps/scalemark/start_ranks.h"
#include "core/settings/processes.h"

namespace scalemark::cli {
namespace {

ExitCode print_settings(const ResolvedCommand& resolved) {
  const bool json = resolved.settings.general.log_format == settings::LogFormat::kJson;
  return print_result(
      json ? settings_document(resolved.settings)
           : settings_table(resolved.settings, settings::world_size_of(resolved.settings)));
}

reporting::ExistingFolder existing_folder(const settings::Settings& settings) {
  using enum reporting::ExistingFolder;
  if (settings.checkpoints.resume) return kContinue;
  return settings.general.overwrite ? kOverwrite : kRefuse;
}

}  // namespace

const HelpPage train_page = {
    "",
    "Trains one network on one or more ranks and measures it. Every option has a useful default:\n"
    "`scalemark train` alone trains the mlp on this machine. Results go to stdout and\n"
    "OUTPUT/report.json, everything else to stderr.",
    "  scalemark train --workload resnet50 --batch-size 64\n"
    "  scalemark train --workload resnet50 --data DIR --epochs 3       images from "
    "DIR/train/<class>/\n"
    "  scalemark train --workload bert-mini --nproc-per-node 2         two ranks on this machine\n"
    "  torchrun --no-python --nproc-per-node 8 scalemark train --workload bert-large\n"
    "  scalemark train --config run.json --set batch_size=32 --dry-run what would run, and why\n"};

ExitCode train_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) {
    exactly(invocation, 0, "nothing but options (a switch takes its value as --overlap=off)");
  }
  ResolvedCommand resolved =
      resolve_command(invocation);  // every problem at once, before anything is touched
  settle_environment(invocation, resolved, {resolved.settings.launch.environment});
  if (resolved.settings.general.dry_run) return print_settings(resolved);

  refuse_missing_inputs(resolved.settings);
  const std::string& save = resolved.settings.recipe.save;
  if (!save.empty() && holds_rank_0(resolved.detection)) refuse_unwritable_file("--save", save);
  const std::string& trace = resolved.settings.measuring.trace;
  if (!trace.empty()) refuse_unwritable_folder("--trace", trace);
  const TorchFolder torch = find_torch(resolved.settings.general.torch);
  refuse_used_output(resolved, existing_folder(resolved.settings));
  settle_mpi(resolved, {resolved.settings.parallel.backend});
  if (resolved.detection.node) return start_ranks(invocation, resolved);
  bind_rank(resolved);
  const api::EngineApi& engine = load_engine(torch);
  resolved.settings.general.torch = torch.path.string();
  return engine.train({.run = rank_request(invocation, resolved), .settings = resolved.settings});
}

}  // namespace scalemark::cli
