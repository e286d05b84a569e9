#include "engine/process/rank_group.h"

#include <algorithm>
#include <set>

#include "core/base/durations.h"
#include "core/base/error.h"

namespace scalemark::process {

launching::World world_within(const RankContext& context, const std::vector<int>& members) {
  launching::World world = context.world();
  const auto me = std::ranges::find(members, world.rank);
  if (me == members.end()) throw bug("a rank joins a team that it is no member of");
  world.rank = static_cast<int>(me - members.begin());
  world.world_size = static_cast<int>(members.size());
  std::set<int> nodes;
  world.local_world_size = 0;
  for (const int member : members) {
    const int node = context.node_of_rank().at(static_cast<std::size_t>(member));
    nodes.insert(node);
    world.local_world_size += node == world.node ? 1 : 0;
  }
  world.nodes = static_cast<int>(nodes.size());
  return world;
}

RankGroup::RankGroup(RankContext& context, const std::string& name, const std::vector<int>& members,
                     const std::string& backend, std::chrono::milliseconds cause_limit)
    : context_(context), world_(world_within(context, members)) {
  for (const int member : members) {
    const int node = context.node_of_rank().at(static_cast<std::size_t>(member));
    if (member < context.world().rank && node == context.world().node) leads_node_ = false;
  }
  const auto start = std::chrono::steady_clock::now();
  group_ = context.open_group(name, members, world_.rank, backend);
  control_ = std::make_unique<distributed::ControlGroup>(*group_, context.timeout(),
                                                         context.error_store(), cause_limit);
  rendezvous_s_ = context.rendezvous_s() + seconds_since(start);
}

RankGroup::~RankGroup() { drop(); }

void RankGroup::max_over_ranks(std::vector<double>& values) { control_->max_over_ranks(values); }

bool RankGroup::lost_a_peer() const noexcept { return group_->lost_a_peer(); }

void RankGroup::finish(std::chrono::milliseconds limit) {
  // Gloo over the CPU has nothing to give back.
  if (device().torch_device().is_cpu() && group_->notices_lost_peers()) return;
  device().synchronize();
  control_->barrier();
  if (is_ended_.exchange(true)) return;
  group_->shut_down(std::min(limit, context_.timeout()));
}

void RankGroup::abort() noexcept {
  if (is_ended_.exchange(true)) return;
  group_->abort();
}

void RankGroup::drop() noexcept {
  control_.reset();
  if (group_) group_->drop(is_ended_);
}

void RankGroup::close() {
  drop();
  group_->delete_keys();
}

}  // namespace scalemark::process
