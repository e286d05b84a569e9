#include "engine/sweep/sweep_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/machine/process_reading.h"
#include "core/plan/order.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/process/data_phase.h"
#include "engine/process/machines.h"
#include "engine/process/nccl_log.h"
#include "engine/process/task_loop.h"
#include "engine/process/versions.h"
#include "engine/sweep/dataset_cache.h"
#include "engine/sweep/sweep_coordinator.h"
#include "engine/sweep/sweep_report.h"
#include "engine/sweep/training_member.h"

namespace scalemark::sweeping {
namespace {

// A time limit counts from the start of the process.
std::chrono::steady_clock::time_point process_began() {
  const auto age = monitoring::process_age().value_or(std::chrono::duration<double>(0));
  return std::chrono::steady_clock::now() -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
}

// Collective over the session.
SweepReport open_report(process::RankProcess& rank_process, process::RankContext& context,
                        const planning::Plan& plan, const DatasetCache& datasets,
                        process::NcclLog& nccl_log) {
  const bool is_rank_0 = context.world().rank == 0;
  process::RunReport* opened = nullptr;
  SweepReport report({.request = rank_process.request(),
                      .hosts = process::survey_hosts(context),
                      .tool = is_rank_0 ? rank_process.tool() : reporting::Tool{},
                      .open = [&](process::RunReport::Opening opening) -> process::RunReport& {
                        opened = &rank_process.open_report(std::move(opening));
                        return *opened;
                      }},
                     plan, datasets);
  for (const std::string& note : datasets.notes()) opened->note(note);
  if (plan.device_check_s > 0 && context.device().torch_device().is_cuda()) nccl_log.begin();
  const auto first = std::ranges::find_if(plan.points, [](const auto& p) { return !p.skipped; });
  if (first != plan.points.end()) {
    communicating::report_host_ring(context, first->settings.parallel.backend, *opened,
                                    [&] { rank_process.watchdog().heartbeat(0); });
  }
  return report;
}

ExitCode sweep_as(process::RankProcess& rank_process, const SweepRequest& request) {
  const auto begun = process_began();
  planning::Plan plan = request.plan;
  process::RankContext& context = rank_process.rendezvous();
  process::DataPhase phase(rank_process, context);
  const DatasetCache datasets(plan, phase);
  phase.finish();
  auto facts = process::common_facts(request.run);
  facts["sweep.plan"] = planning::settings_digest(plan);
  facts["data.identity"] = datasets.identity();
  if (plan.launch) facts["sweep.environment"] = planning::to_text(plan.launch->environment);
  rank_process.compare(facts);
  planning::assign_members(plan, context.node_of_rank());

  process::ProcessLink ranks(rank_process, context);
  process::TaskLoop loop(ranks);
  process::NcclLog nccl_log;
  TrainingMember member(rank_process, context, ranks, datasets, plan, nccl_log);
  SweepReport report = open_report(rank_process, context, plan, datasets, nccl_log);
  if (ranks.rank() == 0) {
    SweepCoordinator coordinator(request.run, loop, plan, member, report, begun);
    return loop.lead(coordinator);
  }
  SweepFollower follower(ranks, plan, member);
  return loop.follow(follower);
}

}  // namespace

ExitCode sweep(const SweepRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return sweep_as(rank_process, request);
  });
}

}  // namespace scalemark::sweeping
