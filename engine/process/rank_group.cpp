#include "engine/process/rank_group.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/stop_agreement.h"

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
  control_ = std::make_unique<distributed::ControlGroup>(
      group_->control(), group_->count(), context.timeout(), context.error_store(), cause_limit);
  rendezvous_s_ = context.rendezvous_s() + seconds_since(start);
}

RankGroup::~RankGroup() { drop(); }

void RankGroup::max_over_ranks(std::vector<double>& values) { control_->max_over_ranks(values); }

bool RankGroup::lost_a_peer() const noexcept { return group_->lost_a_peer(); }

void RankGroup::finish(std::chrono::milliseconds limit) {
  // Gloo over the CPU has nothing to free.
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

namespace {

constexpr std::chrono::milliseconds kPollPeriod{200};
// Time from the break to the abort. A rank that is starting a collective when the group is aborted
// waits for the whole abort, on torch's lock. After this time a rank that is not stuck has left by
// itself, and any other one is stuck where an abort frees it.
constexpr double kGrace_s = 1;

bool is_out_of_memory(const std::exception& error) {
  return distributed::record_of(error).exit_code == ExitCode::kOutOfMemory;
}

}  // namespace

GroupGuard::GroupGuard(RankGroup& rank_group, std::chrono::milliseconds cause_limit)
    : rank_group_(rank_group),
      is_watched_(!rank_group.notices_lost_peers() && rank_group.world().world_size > 1),
      cause_limit_(cause_limit) {}

void GroupGuard::run(const std::function<bool()>& called_off, const std::function<void()>& body) {
  if (!is_watched_) return body();
  try {
    run_watched(called_off, body);
    refuse_broken();
    return;
  } catch (const std::exception& error) {
    if (!broken_ || is_out_of_memory(error)) throw;
  }
  // The cause may be posted later than the loss is noticed.
  const auto loss = std::make_exception_ptr(broken_off());
  throw distributed::translate_collective_error(loss, rank_group_.context().error_store(),
                                                cause_limit_);
}

void GroupGuard::run_watched(const std::function<bool()>& called_off,
                             const std::function<void()>& body) {
  const auto period = distributed::poll_period(kPollPeriod, rank_group_.world().world_size);
  std::optional<std::chrono::steady_clock::time_point> broken_at;
  const distributed::Periodic poller(period, [&] {
    if (!broken_at) {
      const bool lost = rank_group_.lost_a_peer();
      if (!lost && !called_off()) return true;
      broken_at = std::chrono::steady_clock::now();
      broken_ = true;
      // A launcher of MPI ends the job a second after a rank's death.
      if (lost && !rank_group_.can_abort()) give_up();
    }
    if (seconds_since(*broken_at) < kGrace_s) return true;
    if (!rank_group_.can_abort()) give_up();
    rank_group_.abort();
    return false;
  });
  body();
}

// Nothing frees the calling thread, so the process ends, with the cause where a peer has posted
// one.
void GroupGuard::give_up() {
  auto& context = rank_group_.context();
  const auto loss = std::make_exception_ptr(broken_off());
  context.give_up(distributed::translate_collective_error(loss, context.error_store(),
                                                          std::chrono::milliseconds(0))
                      .record());
}

void GroupGuard::refuse_broken() const {
  if (broken_) throw broken_off();
}

c10::DistBackendError GroupGuard::broken_off() const {
  return {{__func__, __FILE__, __LINE__},
          std::string(rank_group_.backend()) + ": the group was broken off"};
}

}  // namespace scalemark::process
