#include "engine/sweeping/sweep_run.h"

#include <algorithm>
#include <chrono>

#include "core/base/durations.h"
#include "core/monitoring/process_age.h"
#include "core/planning/environments.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/process/data_phase.h"
#include "engine/process/rank_process.h"
#include "engine/sweeping/dataset_cache.h"
#include "engine/sweeping/fingerprint_member.h"
#include "engine/sweeping/quiet_check.h"
#include "engine/sweeping/sweep_command.h"
#include "engine/sweeping/sweep_coordinator.h"
#include "engine/sweeping/sweep_member.h"
#include "engine/sweeping/sweep_report.h"

namespace scalemark::sweeping {
namespace {

// A rank without a task passes on a signal that it alone may have received.
void pass_on_signal(const c10::intrusive_ptr<c10d::Store>& store) {
  if (const auto signal = distributed::received_signal()) {
    distributed::request_stop(*store, *signal);
  }
}

// A time limit counts from the start of the process.
std::chrono::steady_clock::time_point process_began() {
  const auto age = monitoring::process_age().value_or(std::chrono::duration<double>(0));
  return std::chrono::steady_clock::now() -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
}

// A waiting rank sends a heartbeat at every look, so looks must be shorter than its deadline.
std::chrono::milliseconds look_of_waiting(process::RankProcess& rank_process) {
  return std::min(milliseconds_of(rank_process.phase_tracker().timeout_of("wait") / 4),
                  distributed::WorkQueue::kLook);
}

ExitCode end(process::RankProcess& rank_process, const SweepCommand& command) {
  if (command.signal != 0) return rank_process.end_interrupted(command.signal, command.agreed);
  return static_cast<ExitCode>(command.exit_code);
}

// Every rank but 0: does what the messages say.
ExitCode follow(process::RankProcess& rank_process, process::RankContext& context,
                const planning::Plan& plan, distributed::WorkQueue& queue, SweepMember& member,
                FingerprintMember& fingerprint) {
  std::int64_t seen = 0;
  while (true) {
    rank_process.phase_tracker().enter("wait");
    const distributed::WorkMessage message = queue.next(seen, [&] {
      rank_process.watchdog().heartbeat(0);
      pass_on_signal(context.store_pointer());
    });
    seen = message.number;
    member.release();  // of the last message: a new one means that all members have reported
    fingerprint.release();
    const SweepCommand command = decode_sweep_command(message.text);
    if (command.quiet_check) {
      queue.report_result(message.number, quiet_reading(context), /*failed=*/false);
      continue;
    }
    if (command.fingerprint != FingerprintPart::kNone) {
      queue.report_result(message.number, fingerprint.answer(command.fingerprint),
                          /*failed=*/false);
      continue;
    }
    if (!command.task) return end(rank_process, command);
    const auto members = planning::members_of(plan, command.task->run);
    if (std::ranges::find(members, context.world().rank) == members.end()) continue;
    member.run(message.number, *command.task);
  }
}

ExitCode sweep_as(process::RankProcess& rank_process, const SweepRequest& request) {
  const auto begun = process_began();
  planning::Plan plan = request.plan;
  process::RankContext& context = rank_process.rendezvous();
  process::DataPhase phase(rank_process, context);
  const DatasetCache datasets(plan, phase);
  phase.finish();
  auto facts = process::common_facts(request.run);
  facts["sweep.plan"] = planning::settings_fingerprint(plan);
  facts["data.identity"] = datasets.identity();
  if (plan.launch) facts["sweep.environment"] = planning::to_text(plan.launch->environment);
  rank_process.compare(facts);
  planning::assign_members(plan, context.node_of_rank());

  distributed::WorkQueue queue(
      context.store_pointer(), context.world().rank, context.world().world_size,
      context.error_store(), context.timeout(),
      [&](const ErrorRecord& loss) { rank_process.give_up(loss); }, look_of_waiting(rank_process));
  SweepMember member(rank_process, context, queue, datasets, plan);
  FingerprintMember fingerprint(rank_process, context, plan);
  SweepReport report(rank_process, context, plan, datasets);
  if (context.world().rank == 0) {
    return SweepCoordinator(rank_process, context, plan, queue, {member, fingerprint}, report,
                            begun)
        .run();
  }
  return follow(rank_process, context, plan, queue, member, fingerprint);
}

}  // namespace

ExitCode sweep(const SweepRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return sweep_as(rank_process, request);
  });
}

}  // namespace scalemark::sweeping
