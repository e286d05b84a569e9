// scalemark sweep: from options to a plan, and from there to the engine.
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/fresh_blocks.h"
#include "apps/scalemark/mpi_ranks.h"
#include "apps/scalemark/output_file.h"
#include "apps/scalemark/plan_table.h"
#include "apps/scalemark/rank_environment.h"
#include "apps/scalemark/rank_request.h"
#include "apps/scalemark/resolve_sweep.h"
#include "apps/scalemark/start_ranks.h"
#include "core/planning/environments.h"

namespace scalemark::cli {
namespace {

ExitCode print_plan(const ResolvedSweep& resolved) {
  const bool json = resolved.base.settings.general.log_format == settings::LogFormat::kJson;
  return print_result(json ? plan_document(resolved) : plan_table(resolved));
}

reporting::ExistingFolder existing_folder(const ResolvedSweep& resolved) {
  const settings::SweepSettings& sweep = resolved.plan.sweep;
  // A rank that was started for one block goes on where the one before ended.
  const bool one_block = sweep.fresh_process && !resolved.base.detection.node;
  if (sweep.resume || sweep.resume_anyway || one_block) {
    return reporting::ExistingFolder::kContinue;
  }
  return resolved.base.settings.general.overwrite ? reporting::ExistingFolder::kOverwrite
                                                  : reporting::ExistingFolder::kRefuse;
}

ExitCode run_plan(const Invocation& invocation, ResolvedSweep resolved) {
  std::vector<std::string> backends;
  for (const auto& point : resolved.plan.points) {
    if (point.skipped) continue;
    refuse_missing_inputs(point.settings);
    backends.push_back(point.settings.parallel.backend);
  }
  const std::string& trace = resolved.base.settings.measuring.trace;
  if (!trace.empty()) refuse_unwritable_folder("--trace", trace);
  const TorchFolder torch = find_torch(resolved.base.settings.general.torch);
  refuse_used_output(resolved.base, existing_folder(resolved));
  settle_mpi(resolved.base, backends);
  // A rank that was started for one block: such ranks are all on one node. On several nodes with
  // one rank each, the command that a person started is a rank of the launcher, too.
  const auto& world = resolved.base.detection.world;
  const bool is_rank = world.launcher == "local" && world.nodes == 1;
  if (resolved.plan.sweep.fresh_process && !is_rank) {
    return run_in_fresh_blocks(invocation, resolved, existing_folder(resolved));
  }
  if (resolved.base.detection.node) return start_ranks(invocation, resolved.base);
  const auto environments = planning::environments_of(resolved.plan);
  if (environments.size() > 1) {
    resolved.plan.launch = {own_environment(environments), goes_on_with_session()};
  }
  bind_rank(resolved.base);
  const api::EngineApi& engine = load_engine(torch);
  resolved.base.settings.general.torch = torch.path.string();
  return engine.sweep({.run = rank_request(invocation, resolved.base),
                       .settings = resolved.base.settings,
                       .plan = std::move(resolved.plan)});
}

}  // namespace

const HelpPage sweep_page = {
    "",
    "Plans the cross product of all lists, adds the baseline (1 rank, no exchange) and the same\n"
    "ranks without communication, and repeats everything in blocks of random order. Every option\n"
    "of what is trained and how takes a list or a range: 1,2,4 or 32..256*2 or 1..9+2; the "
    "plural\n"
    "is the same option. --batch-size makes weak scaling, --global-batch-size strong scaling.\n"
    "`scalemark sweep` alone sweeps the mlp on 1 and 2 ranks, or ResNet-50 on all GPUs.",
    "  scalemark sweep --dry-run                                       the plan, and nothing "
    "else\n"
    "  scalemark sweep --workload resnet50 --world-sizes 1,2,4,8 --batch-sizes 32..256*2\n"
    "  scalemark sweep --world-sizes 1..8*2 --global-batch-size 256 --strong-by accumulation\n"
    "  scalemark sweep --workload bert-mini --precisions fp32,amp-bf16 --quick\n"
    "  scalemark sweep --workload resnet50 --world-sizes 8 --tune bucket-cap-mb\n"
    "  scalemark sweep --workload resnet50 --env NCCL_ALGO=,Ring,Tree  each in ranks of its own\n"};

ExitCode sweep_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) {
    exactly(invocation, 0, "nothing but options (a switch takes its value as --overlap=off)");
  }
  ResolvedSweep resolved = resolve_sweep(invocation);  // every problem at once
  settle_environment(invocation, resolved.base, planning::environments_of(resolved.plan));
  if (resolved.base.settings.general.dry_run) return print_plan(resolved);
  return run_plan(invocation, std::move(resolved));
}

}  // namespace scalemark::cli
