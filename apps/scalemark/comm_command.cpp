// scalemark comm: from options to a plan, and from there to the engine.
#include <utility>

#include "apps/scalemark/collective_plan_table.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/mpi_ranks.h"
#include "apps/scalemark/output_file.h"
#include "apps/scalemark/rank_environment.h"
#include "apps/scalemark/rank_request.h"
#include "apps/scalemark/resolve_comm.h"
#include "apps/scalemark/start_ranks.h"
#include "core/planning/collectives/make_collective_plan.h"

namespace scalemark::cli {
namespace {

ExitCode print_plan(const ResolvedComm& resolved) {
  const bool json = resolved.base.settings.general.log_format == settings::LogFormat::kJson;
  return print_result(json ? collective_plan_document(resolved) : collective_plan_table(resolved));
}

ExitCode run_plan(const Invocation& invocation, ResolvedComm resolved) {
  const TorchFolder torch = find_torch(resolved.base.settings.general.torch);
  const bool overwrite = resolved.base.settings.general.overwrite;
  refuse_used_output(resolved.base, overwrite ? reporting::ExistingFolder::kOverwrite
                                              : reporting::ExistingFolder::kRefuse);
  settle_mpi(resolved.base, planning::used_backends(resolved.plan));
  if (resolved.base.detection.node) return start_ranks(invocation, resolved.base);
  bind_rank(resolved.base);
  const api::EngineApi& engine = load_engine(torch);
  resolved.base.settings.general.torch = torch.path.string();
  process::RunRequest run = rank_request(invocation, resolved.base);
  run.settings.common = std::move(resolved.common);
  run.settings.json = resolved.settings_json;
  return engine.comm({.run = std::move(run),
                      .plan = std::move(resolved.plan),
                      .settings_json = std::move(resolved.settings_json),
                      .topology_file = resolved.comm.save_topology});
}

}  // namespace

const HelpPage comm_page = {
    "",
    "Measures collectives by themselves, without training: time, bandwidth as nccl-tests counts\n"
    "it, and latency, of every combination of the lists, repeated in blocks of random order. What\n"
    "was received is checked outside the timed calls. Options of collectives take lists, sizes\n"
    "ranges, too: 1KiB..64MiB*4 or 1MiB..8MiB+1MiB. `scalemark comm` alone measures the\n"
    "all-reduce over every backend that serves the device, on 2 ranks or on all GPUs.\n"
    "docs/COMM.md explains the numbers.",
    "  scalemark comm --dry-run                                   the plan, and nothing else\n"
    "  scalemark comm --collectives all-reduce,all-gather --dtypes fp32,bf16\n"
    "  scalemark comm --sizes 1Ki:elem,1Mi:elem --world-sizes 2,4 --repetitions 10\n"
    "  scalemark comm --sizes-of resnet50                         what training it exchanges\n"
    "  scalemark comm --backends gloo --overlap-compute on,off    what computing beside it costs\n"
    "  scalemark comm --pairs --nnodes 4 ...                      which node or link is slow\n"};

ExitCode comm_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) exactly(invocation, 0, "nothing but options");
  ResolvedComm resolved = resolve_comm(invocation);  // every problem at once
  settle_environment(invocation, resolved.base, {resolved.base.settings.launch.environment});
  const std::string& topology = resolved.comm.save_topology;
  if (!topology.empty() && holds_rank_0(resolved.base.detection)) {
    refuse_unwritable_file("--save-topology", topology);
  }
  if (resolved.base.settings.general.dry_run) return print_plan(resolved);
  return run_plan(invocation, std::move(resolved));
}

}  // namespace scalemark::cli
