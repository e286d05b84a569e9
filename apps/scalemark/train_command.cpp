// scalemark train: from options to a report.
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/output_file.h"
#include "apps/scalemark/rank_request.h"
#include "apps/scalemark/settings_table.h"
#include "apps/scalemark/settle.h"
#include "apps/scalemark/start_ranks.h"

namespace scalemark::cli {
namespace {

ExitCode print_settings(const Settled& settled) {
  const bool json = settled.settings.general.log_format == "json";
  return print_result(json ? settings_document(settled.settings)
                           : settings_table(settled.settings, settled.ranks.world_size));
}

reporting::ExistingFolder existing_folder(const settings::Settings& settings) {
  using enum reporting::ExistingFolder;
  if (settings.checkpoints.resume) return kContinue;
  return settings.general.overwrite ? kOverwrite : kRefuse;
}

}  // namespace

ExitCode train_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) exactly(invocation, 0, "nothing but options");
  Settled settled = settle(invocation);  // every problem at once, before anything is touched
  if (settled.settings.general.dry_run) return print_settings(settled);

  refuse_missing_inputs(settled.settings);
  const std::string& save = settled.settings.recipe.save;
  if (!save.empty() && holds_rank_0(settled.detection)) refuse_unwritable_file("--save", save);
  const TorchFolder torch = find_torch(settled.settings.general.torch);
  refuse_used_output(settled, existing_folder(settled.settings));
  if (settled.detection.node) return start_ranks(invocation, settled);
  const running::EngineApi& engine = load_engine(torch);
  return engine.train(rank_request(invocation, std::move(settled), torch));
}

}  // namespace scalemark::cli
