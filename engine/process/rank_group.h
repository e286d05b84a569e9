// The ranks that run one point together, as one of them sees it, and the guard that frees this rank
// from a collective that would wait for ever. Knows no settings and no records.
#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/world.h"
#include "engine/distributed/groups.h"
#include "engine/process/rank_context.h"

namespace scalemark::process {

// Returns the world as one of `members` sees it within their group; throws bug() for a rank that is
// no member.
launching::World world_within(const RankContext& context, const std::vector<int>& members);

// A rank's number among those of a point, its device, and their process group, which carries all
// traffic of the point.
class RankGroup {
 public:
  // Collective over `members`, which are ranks of the session's world, ascending, this one
  // included. `name` is unique among the open groups. `backend` is named as for --backend.
  // `cause_limit`: how long a failed collective waits for the cause on the error store. Throws what
  // making a group throws.
  RankGroup(RankContext& context, const std::string& name, const std::vector<int>& members,
            const std::string& backend, std::chrono::milliseconds cause_limit);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  const launching::World& world() const { return world_; }  // describes the rank within the group
  // Whether this is the first member on its machine.
  bool leads_node() const { return leads_node_; }
  int global_rank() const { return context_.world().rank; }
  RankContext& context() { return context_; }
  device::Device& device() { return context_.device(); }
  distributed::ControlGroup& control() { return *control_; }
  // Each value becomes the largest that any member has at its index; all pass equally many.
  void max_over_ranks(std::vector<double>& values);
  // The time until the ranks had met: the session's rendezvous and this group's.
  double rendezvous_s() const { return rendezvous_s_; }
  // The group for gradients; it exists for a single rank, too.
  const c10::intrusive_ptr<c10d::ProcessGroup>& group() const { return group_->group(); }

  // Returns the same connections without c10d, or null where the backend has none.
  std::unique_ptr<distributed::DirectCommunicator> direct_communicator() const {
    return group_->make_direct();
  }

  // The backend that carries the payload answers the following: see distributed::BackendProvider.
  std::string_view backend() const { return group_->payload_name(); }
  bool notices_lost_peers() const { return group_->notices_lost_peers(); }
  bool can_abort() const { return group_->can_abort(); }
  // Whether a backend whose collectives do not notice a lost member knows of one. Safe from another
  // thread.
  bool lost_a_peer() const noexcept;

  // Makes the collectives fail in which other members may be waiting. Safe from another thread
  // while this rank is stuck in one (NCCL; a Gloo rank frees its peers by drop()).
  void abort() noexcept;

  // Ends a healthy group; collective over its members. Issued operations complete, and
  // communicators are freed, within the session's timeout or `limit`, if that is shorter. Throws
  // what a collective throws when a member has failed meanwhile; drop() aborts then.
  void finish(std::chrono::milliseconds limit = std::chrono::milliseconds::max());

  // Drops the group; peers that still wait for this rank fail. The keys stay. Takes at most 2 s.
  void drop() noexcept;

  // Calls drop() and deletes the group's keys. Call it once every member is done with the group.
  // Throws what the store throws.
  void close();

 private:
  RankContext& context_;
  launching::World world_;
  double rendezvous_s_ = 0;
  bool leads_node_ = true;
  std::unique_ptr<distributed::PointGroup> group_;
  std::unique_ptr<distributed::ControlGroup> control_;
  // abort() or finish() was called; the other one must not follow.
  std::atomic<bool> is_ended_{false};
};

// Frees this rank from a collective that would wait for ever. Gloo's collectives fail when a peer's
// connection breaks; NCCL's continue to wait, so a side thread checks for reasons to abort the
// group. Measurements over a broken group are void.
class GroupGuard {
 public:
  // Only a group whose collectives do not notice lost peers is watched. `cause_limit`: how long the
  // loss waits for the cause that a peer may post on the error store.
  GroupGuard(RankGroup& rank_group, std::chrono::milliseconds cause_limit);

  // Runs `body` under watch. A side thread asks `called_off` five times a second, less often with
  // many ranks. Once `called_off` or the backend itself says that a peer has failed, the group is
  // aborted, the results of the body are void, and E_PEER_LOST or the cause is thrown. An
  // out-of-memory error stays one, since no abort causes it. Where nothing can be aborted (MPI) and
  // the body does not return by itself, the process ends with that error.
  void run(const std::function<bool()>& called_off, const std::function<void()>& body);

  // Throws when the group is broken; call it between two steps. It costs an atomic read.
  void refuse_broken() const;

 private:
  void run_watched(const std::function<bool()>& called_off, const std::function<void()>& body);
  c10::DistBackendError broken_off() const;
  [[noreturn]] void give_up();

  RankGroup& rank_group_;
  bool is_watched_;
  std::chrono::milliseconds cause_limit_;
  std::atomic<bool> broken_{false};
};

}  // namespace scalemark::process
