#include "engine/sweeping/sweep_run.h"

#include <algorithm>
#include <chrono>

#include "core/monitoring/process_age.h"
#include "core/planning/environments.h"
#include "engine/process/data_phase.h"
#include "engine/process/process_ranks.h"
#include "engine/sweeping/dataset_cache.h"
#include "engine/sweeping/fingerprint_member.h"
#include "engine/sweeping/quiet_check.h"
#include "engine/sweeping/sweep_command.h"
#include "engine/sweeping/sweep_coordinator.h"
#include "engine/sweeping/sweep_member.h"
#include "engine/sweeping/sweep_report.h"

namespace scalemark::sweeping {
namespace {

// A time limit counts from the start of the process.
std::chrono::steady_clock::time_point process_began() {
  const auto age = monitoring::process_age().value_or(std::chrono::duration<double>(0));
  return std::chrono::steady_clock::now() -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
}

// Every rank but 0.
class SweepFollower : public process::TaskFollower {
 public:
  SweepFollower(process::RankContext& context, const planning::Plan& plan,
                distributed::WorkQueue& queue, SweepMember& member, FingerprintMember& fingerprint)
      : context_(context), plan_(plan), queue_(queue), member_(member), fingerprint_(fingerprint) {}

  void take_part(const distributed::WorkMessage& message) override {
    const SweepCommand command = decode_sweep_command(message.text);
    if (command.quiet_check) {
      return queue_.report_result(message.number, quiet_reading(context_), /*failed=*/false);
    }
    if (command.fingerprint != FingerprintPart::kNone) {
      return queue_.report_result(message.number, fingerprint_.answer(command.fingerprint),
                                  /*failed=*/false);
    }
    const auto members = planning::members_of(plan_, command.task->run);
    if (std::ranges::find(members, context_.world().rank) == members.end()) return;
    member_.run(message.number, *command.task);
  }

  void release() override {
    member_.release();
    fingerprint_.release();
  }

 private:
  process::RankContext& context_;
  const planning::Plan& plan_;
  distributed::WorkQueue& queue_;
  SweepMember& member_;
  FingerprintMember& fingerprint_;
};

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

  process::ProcessRanks ranks(rank_process, context);
  process::TaskLoop loop(ranks);
  SweepMember member(rank_process, context, ranks.queue(), datasets, plan);
  FingerprintMember fingerprint(rank_process, context, plan);
  SweepReport report(rank_process, context, plan, datasets);
  if (ranks.rank() == 0) {
    SweepCoordinator coordinator(rank_process, context, plan, loop, {member, fingerprint}, report,
                                 begun);
    return loop.lead(coordinator);
  }
  SweepFollower follower(context, plan, ranks.queue(), member, fingerprint);
  return loop.follow(follower);
}

}  // namespace

ExitCode sweep(const SweepRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return sweep_as(rank_process, request);
  });
}

}  // namespace scalemark::sweeping
