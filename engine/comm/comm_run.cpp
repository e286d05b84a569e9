#include "engine/comm/comm_run.h"

#include "core/base/error.h"
#include "engine/comm/comm_coordinator.h"
#include "engine/process/data_phase.h"
#include "engine/process/machines.h"
#include "engine/process/task_loop.h"
#include "engine/process/versions.h"

namespace scalemark::communicating {
namespace {

using planning::CollectivePlan;

// Rank 0 must be a member of each collective, since it writes the rows.
void require_rank_0(const CollectivePlan& plan) {
  for (const auto& point : plan.points) {
    if (!point.skipped && point.members.front() != 0) throw bug("a collective without rank 0");
  }
}

ExitCode comm_as(process::RankProcess& rank_process, const CommRequest& given) {
  CommRequest request = given;
  process::RankContext& context = rank_process.rendezvous();
  // It has no data, but a rank of another command waits for all to have theirs.
  process::DataPhase(rank_process, context).finish();
  rank_process.compare(process::common_facts(request.run));
  planning::assign_members(request.plan, context.node_of_rank());
  require_rank_0(request.plan);

  process::ProcessLink ranks(rank_process, context);
  process::TaskLoop loop(ranks);
  process::NcclLog nccl_log;
  MeasuringMember member(rank_process, context, request.plan, nccl_log);
  KnownMachines machines{.hosts = process::survey_hosts(context),
                         .node_of_rank = context.node_of_rank(),
                         .memory_GBps = {}};
  measure_memory(context, machines);
  process::RunReport& opened = rank_process.open_report({.hosts = machines.hosts,
                                                         .continued = {},
                                                         .settings_json = request.settings_json,
                                                         .session = {},
                                                         .folder = {}});
  if (request.plan.pairs && request.plan.pairs->backend == "nccl") nccl_log.begin();
  CommReport report(request.plan, machines, opened);
  if (ranks.rank() == 0) {
    CommCoordinator coordinator(loop, request, member, report);
    return loop.lead(coordinator);
  }
  CommFollower follower(ranks, request.plan, member);
  return loop.follow(follower);
}

}  // namespace

ExitCode comm(const CommRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return comm_as(rank_process, request);
  });
}

}  // namespace scalemark::communicating
