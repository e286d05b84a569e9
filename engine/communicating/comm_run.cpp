#include "engine/communicating/comm_run.h"

#include <algorithm>

#include "core/base/wire.h"
#include "engine/communicating/comm_coordinator.h"
#include "engine/process/process_link.h"

namespace scalemark::communicating {
namespace {

using planning::CollectivePlan;

// Every rank but 0.
class CommFollower : public process::TaskFollower {
 public:
  CommFollower(int rank, const CollectivePlan& plan, CommMember& member)
      : rank_(rank), plan_(plan), member_(member) {}

  void take_part(const distributed::WorkMessage& message) override {
    const auto task = from_wire<CommTask>(message.text);
    if (!task) {
      member_.run_pairs(*plan_.pairs);
      return;
    }
    const auto batches = planning::batches_of_block(plan_, task->block);
    const auto& batch = batches.at(task->number);
    if (std::ranges::find(batch.members, rank_) == batch.members.end()) return;
    member_.run("comm/" + std::to_string(message.number), batch, {});
  }

 private:
  int rank_;
  const CollectivePlan& plan_;
  CommMember& member_;
};

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

  process::ProcessLink ranks(rank_process, context);
  process::TaskLoop loop(ranks);
  CommMember member(rank_process, context, request.plan);
  CommReport report(rank_process, context, request);
  if (ranks.rank() == 0) {
    CommCoordinator coordinator(loop, request, member, report);
    return loop.lead(coordinator);
  }
  CommFollower follower(ranks.rank(), request.plan, member);
  return loop.follow(follower);
}

}  // namespace

ExitCode comm(const CommRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return comm_as(rank_process, request);
  });
}

}  // namespace scalemark::communicating
