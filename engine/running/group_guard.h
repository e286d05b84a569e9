// Frees this rank from a collective that would wait for ever. Gloo's collectives fail when a peer's
// connection breaks; NCCL's wait on, so a side thread looks for reasons to break the group off, and
// what a run has measured over a broken group is void.
#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "engine/running/point.h"
#include "engine/running/team.h"

namespace scalemark::running {

class GroupGuard {
 public:
  // Only a team whose collectives do not notice lost peers is watched. `cause_limit`: how long the
  // loss waits for the cause that a peer may post on the fault board.
  GroupGuard(Team& team, std::chrono::milliseconds cause_limit);

  // Runs `body` under watch. Once `called_off` (asked from the side thread, five times a
  // second, less often where ranks are many) or
  // the backend itself says that a peer has failed, the group is aborted, and whatever becomes of
  // the body is thrown away: throws E_PEER_LOST or the cause. Out of memory stays what it is: no
  // abort makes it.
  PointOutcome run(const std::function<bool()>& called_off,
                   const std::function<PointOutcome()>& body);

  // Between two steps: throws when the group is broken. Costs an atomic read.
  void refuse_broken() const;

 private:
  PointOutcome run_watched(const std::function<bool()>& called_off,
                           const std::function<PointOutcome()>& body);
  c10::DistBackendError broken_off() const;

  Team& team_;
  bool is_watched_;
  std::chrono::milliseconds cause_limit_;
  std::atomic<bool> broken_{false};
};

}  // namespace scalemark::running
