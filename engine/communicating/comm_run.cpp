#include "engine/communicating/comm_run.h"

#include <algorithm>

#include "core/base/error.h"
#include "engine/communicating/comm_coordinator.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/process/rank_process.h"

namespace scalemark::communicating {
namespace {

using planning::CollectiveBatch;
using planning::CollectivePlan;

// A rank without a task passes on a signal that it alone may have received.
void pass_on_signal(const c10::intrusive_ptr<c10d::Store>& store) {
  if (const auto signal = distributed::received_signal()) {
    distributed::request_stop(*store, *signal);
  }
}

ExitCode end(process::RankProcess& rank_process, const CommCommand& command) {
  if (command.signal != 0) return rank_process.end_interrupted(command.signal, /*agreed=*/true);
  return static_cast<ExitCode>(command.exit_code);
}

// Every rank but 0: does what the messages say.
ExitCode follow(process::RankProcess& rank_process, process::RankContext& context,
                const CollectivePlan& plan, distributed::WorkQueue& queue, CommMember& member) {
  std::int64_t seen = 0;
  while (true) {
    rank_process.phase_tracker().enter("wait");
    const distributed::WorkMessage message = queue.next(seen, [&] {
      rank_process.watchdog().heartbeat(0);
      pass_on_signal(context.store_pointer());
    });
    seen = message.number;
    const CommCommand command = decode_comm_command(message.text);
    if (command.pairs) {
      member.run_pairs(*plan.pairs);
      continue;
    }
    if (!command.batch) return end(rank_process, command);
    const auto batches = planning::batches_of_block(plan, command.batch->block);
    const CollectiveBatch& batch = batches.at(command.batch->number);
    if (std::ranges::find(batch.members, context.world().rank) == batch.members.end()) continue;
    member.run("comm/" + std::to_string(message.number), batch, {});
  }
}

// Rank 0 writes the rows.
void require_rank_0(const CollectivePlan& plan) {
  for (const auto& point : plan.points) {
    if (!point.skipped && point.members.front() != 0) throw bug("a collective without rank 0");
  }
}

ExitCode comm_as(process::RankProcess& rank_process, const CommRequest& given) {
  CommRequest request = given;
  process::RankContext& context = rank_process.rendezvous();
  rank_process.compare(process::common_facts(request.run));
  planning::assign_members(request.plan, context.node_of_rank());
  require_rank_0(request.plan);

  distributed::WorkQueue queue(context.store_pointer(), context.world().rank,
                               context.world().world_size, context.error_store(), context.timeout(),
                               [&](const ErrorRecord& loss) { rank_process.give_up(loss); });
  CommMember member(rank_process, context, request.plan);
  CommReport report(rank_process, context, request);
  if (context.world().rank == 0) {
    return CommCoordinator(rank_process, context, request, queue, member, report).run();
  }
  return follow(rank_process, context, request.plan, queue, member);
}

}  // namespace

ExitCode comm(const CommRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return comm_as(rank_process, request);
  });
}

}  // namespace scalemark::communicating
