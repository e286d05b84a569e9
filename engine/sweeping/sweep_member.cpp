#include "engine/sweeping/sweep_member.h"

#include <algorithm>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "engine/sweeping/outcome_parcel.h"
#include "engine/sweeping/point_verdict.h"

namespace scalemark::sweeping {
namespace {

bool has_failed(const RankResult& result) {
  return result.kind == RankResult::Kind::kOom || result.kind == RankResult::Kind::kFailed ||
         result.kind == RankResult::Kind::kPeerLost;
}

}  // namespace

TaskOutcome SweepMember::run(std::int64_t number, const planning::Task& task) {
  TaskOutcome outcome;
  RankResult& result = outcome.result;
  try {
    result = train(number, task, outcome);
    // Rank 0 of the group has gathered what all measured; rank 0 of the sweep writes the row.
    const bool elsewhere = outcome.world.rank == 0 && ranks_.rank() != 0;
    if (result.kind == RankResult::Kind::kOk && elsewhere) {
      send_outcome(ranks_.store(), number, outcome.measured);
    }
  } catch (...) {
    result = result_of(std::current_exception());
  }
  gpu_fault_ = gpu_fault_in({{ranks_.rank(), result}});
  result.beat = ranks_.beat();
  // First: peers that notice the loss then find its cause.
  ranks_.queue().report_result(number, to_wire(result), has_failed(result));
  if (has_failed(result)) drop();
  return outcome;
}

void SweepMember::release() {
  if (gpu_fault_) throw Error(*gpu_fault_);
  give_back();
}

namespace {

std::string answer_of(SweepMember& member, const SweepCommand& command) {
  if (command.health) return member.read_health();
  return command.quiet_check ? member.read_machine() : member.fingerprint(command);
}

}  // namespace

void SweepFollower::take_part(const distributed::WorkMessage& message) {
  const auto command = from_wire<SweepCommand>(message.text);
  if (!command.task) {
    return ranks_.queue().report_result(message.number, answer_of(member_, command),
                                        /*failed=*/false);
  }
  const auto members = planning::members_of(plan_, command.task->run);
  if (std::ranges::find(members, ranks_.rank()) == members.end()) return;
  member_.run(message.number, *command.task);
}

}  // namespace scalemark::sweeping
