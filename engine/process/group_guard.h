// Frees this rank from a collective that would wait for ever. Gloo's collectives fail when a peer's
// connection breaks; NCCL's wait on, so a side thread looks for reasons to break the group off, and
// what a run has measured over a broken group is void.
#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "engine/process/rank_group.h"

namespace scalemark::process {

class GroupGuard {
 public:
  // Only a group whose collectives do not notice lost peers is watched. `cause_limit`: how long
  // the loss waits for the cause that a peer may post on the error store.
  GroupGuard(RankGroup& rank_group, std::chrono::milliseconds cause_limit);

  // Runs `body` under watch. Once `called_off` (asked from the side thread, five times a second,
  // less often where ranks are many) or the backend itself says that a peer has failed, the group
  // is aborted, what the body did is void, and E_PEER_LOST or the cause is thrown. Out of memory
  // stays what it is: no abort makes it. Where nothing can be aborted (MPI) and the body does not
  // return by itself, the process ends with that error.
  void run(const std::function<bool()>& called_off, const std::function<void()>& body);

  // Between two steps: throws when the group is broken. Costs an atomic read.
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
