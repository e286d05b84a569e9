#include "engine/comm/comm_member.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/wire.h"
#include "core/catalogue/backends.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "report/record/report.h"

namespace scalemark::communicating {
namespace {

using distributed::ErrorStore;

// All members have agreed to leave the run that they are in.
struct Stopped {
  int signal = 0;
};

// Ends the group once every member is through with it.
void end(process::RankGroup& rank_group) {
  rank_group.control().barrier();
  rank_group.finish();
  rank_group.close();
}

}  // namespace

MeasuringMember::MeasuringMember(process::RankProcess& rank_process, process::RankContext& context,
                                 const planning::CollectivePlan& plan, process::NcclLog& nccl_log)
    : rank_process_(rank_process),
      context_(context),
      plan_(plan),
      nccl_log_(nccl_log),
      health_(context) {
  const bool need_own_gpus = std::ranges::any_of(plan.points, [](const auto& point) {
    return !point.skipped && catalogue::needs_one_rank_per_gpu(point.backend);
  });
  if (need_own_gpus) context.refuse_shared_gpus();
}

bool MeasuringMember::wants_traffic(const planning::CollectiveBatch& batch) const {
  return std::ranges::any_of(batch.points,
                             [&](std::size_t i) { return plan_.points[i].congestion; });
}

std::optional<int> MeasuringMember::run(const std::string& name,
                                        const planning::CollectiveBatch& batch,
                                        const OnRow& on_row) {
  rank_process_.phase_tracker().enter("rendezvous");
  // The measured group is opened last, since a hang is reported of the newest group.
  std::optional<process::RankGroup> background;
  if (wants_traffic(batch)) {
    background.emplace(context_, name + "/traffic", batch.members, "gloo", ErrorStore::kCauseLimit);
  }
  process::RankGroup rank_group(context_, name, batch.members, batch.backend,
                                ErrorStore::kCauseLimit);
  process::GroupGuard guard(rank_group, ErrorStore::kCauseLimit);
  std::optional<int> signal;
  guard.run([&] { return context_.error_store().has_cause(); },
            [&] {
              signal = measure_all(rank_group, background ? &*background : nullptr, batch, on_row);
            });
  end(rank_group);
  if (background) end(*background);
  return signal;
}

MeasuredPairs MeasuringMember::run_pairs(const planning::PairPlan& plan) {
  rank_process_.phase_tracker().enter("window");
  return communicating::run_pairs(context_, "pairs", plan, nccl_log_,
                                  [&] { rank_process_.watchdog().heartbeat(0); });
}

std::vector<MeasuredPart> MeasuringMember::run_parts(const planning::PairPlan& plan,
                                                     const std::vector<double>& slowest_links) {
  if (plan.divisions == 0) return {};
  const auto agreed =
      from_wire<std::vector<double>>(context_.control().broadcast(to_wire(slowest_links)));
  const auto kind = context_.device().torch_device().is_cuda() ? settings::DeviceKind::kCuda
                                                               : settings::DeviceKind::kCpu;
  return measure_parts(context_,
                       planning::points_of_parts(plan, kind, context_.node_of_rank(), agreed),
                       [&] { rank_process_.watchdog().heartbeat(0); });
}

std::optional<int> MeasuringMember::measure_all(process::RankGroup& rank_group,
                                                process::RankGroup* background,
                                                const planning::CollectiveBatch& batch,
                                                const OnRow& on_row) {
  const auto direct = rank_group.direct_communicator();
  auto& telemetry = process::fresh_telemetry(context_, rank_group.leads_node());
  const Surroundings around{.rank_group = rank_group,
                            .direct = direct.get(),
                            .background = background,
                            .between =
                                [&] {
                                  rank_process_.watchdog().heartbeat(0);
                                  if (const auto next = agree_on_next(rank_group.control(), false);
                                      next.signal) {
                                    throw Stopped{*next.signal};
                                  }
                                },
                            .telemetry = &telemetry};
  bool again = false;  // set on rank 0 alone
  for (std::ptrdiff_t place = -1;;) {
    const Next next = agree_on_next(rank_group.control(), again);
    if (next.signal) return next.signal;
    if (!next.again && ++place == std::ssize(batch.points)) return std::nullopt;
    const auto& point = plan_.points[batch.points[static_cast<std::size_t>(place)]];
    rank_process_.phase_tracker().enter("window");
    const std::string started = reporting::utc_now();
    CollectiveOutcome outcome;
    try {
      outcome = measure(point, around);
    } catch (const Stopped& stopped) {
      return stopped.signal;
    }
    if (rank_group.world().rank == 0) again = on_row(point, started, outcome);
    context_.device().release_cached_memory();
  }
}

// The largest signal decides, so that all leave the batch before the same run.
MeasuringMember::Next MeasuringMember::agree_on_next(distributed::ControlGroup& control,
                                                     bool again) {
  std::optional<int> mine = distributed::received_signal();
  if (!mine && control.rank() == 0) mine = distributed::requested_stop(*context_.store_pointer());
  std::vector<double> largest{static_cast<double>(mine.value_or(0)), again ? 1.0 : 0.0};
  control.max_over_ranks(largest);
  Next next{.signal = std::nullopt, .again = largest[1] != 0};
  if (largest[0] != 0) next.signal = static_cast<int>(largest[0]);
  return next;
}

void CommFollower::take_part(const distributed::WorkMessage& message) {
  const auto task = from_wire<CommTask>(message.text);
  if (task.health) {
    return ranks_.queue().report_result(message.number, member_.read_health(), /*failed=*/false);
  }
  if (!task.batch) {
    member_.run_pairs(*plan_.pairs);
    member_.run_parts(*plan_.pairs, {});
    return;
  }
  const auto batches = planning::batches_of_block(plan_, task.batch->block);
  const auto& batch = batches.at(task.batch->number);
  if (std::ranges::find(batch.members, ranks_.rank()) == batch.members.end()) return;
  member_.run(batch_name(message), batch, {});
}

std::string batch_name(const distributed::WorkMessage& message) {
  return "comm/" + std::to_string(message.number);
}

}  // namespace scalemark::communicating
