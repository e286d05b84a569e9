// The group of a point, which carries all traffic inside the point, control traffic included. Knows
// neither records nor settings.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "engine/distributed/backend.h"
#include "engine/distributed/control_group.h"
#include "engine/distributed/group_end.h"

namespace scalemark::distributed {

// A process group that leaves nothing behind: its keys in the store are under its name, and
// delete_keys() deletes them. Its payload goes over the chosen backend. Its control traffic always
// goes over Gloo, whose collectives have deadlines.
class PointGroup {
 public:
  // Collective over the members. `spec.store` is the run's store.
  PointGroup(const GroupSpec& spec, const BackendProvider& payload);
  PointGroup(const PointGroup&) = delete;
  PointGroup& operator=(const PointGroup&) = delete;

  // Serves c10d::Reducer and collectives on the device's tensors. Release copies before drop().
  const c10::intrusive_ptr<c10d::ProcessGroup>& group() const { return group_; }
  // Serves a ControlGroup. Where the payload goes over Gloo, it uses the same connections; else it
  // has few of its own, since each of Gloo's pairs costs requests to the store, or is null where
  // there is one member.
  const c10::intrusive_ptr<c10d::Backend>& control() const { return control_; }

  // Returns the payload's communicator without c10d, or null where its backend has none. Destroy it
  // before the group.
  std::unique_ptr<DirectCommunicator> make_direct() const {
    return payload_provider_.make_direct(*payload_);
  }

  // Counts control traffic and payload together. The counter may outlive the group.
  const std::shared_ptr<CollectiveCount>& count() const { return count_; }

  // The payload's backend answers the following: see BackendProvider.
  bool notices_lost_peers() const { return payload_provider_.notices_lost_peers(); }
  bool can_abort() const { return payload_provider_.can_abort(); }
  std::string_view payload_name() const { return payload_provider_.name(); }

  // Whether the payload's backend has noticed that a peer is gone. Safe from another thread.
  bool lost_a_peer() const noexcept;

  // Ends a healthy group: see group_end.h. Does nothing where collectives notice lost peers.
  void shut_down(std::chrono::milliseconds limit) noexcept;

  // Ends pending collectives of backends that can abort (NCCL), safely while another thread is
  // stuck in one.
  void abort() noexcept;

  // Drops the group: peers that wait for this rank in a collective fail. The payload's backend is
  // aborted unless shut_down() or abort() has ended it (`is_ended`). Takes at most 2 s.
  void drop(bool is_ended = false) noexcept;

  // Call it after drop(), once all members are done (after a barrier, gather or result). Without
  // this call the keys stay. Throws what the store throws.
  void delete_keys();

 private:
  const BackendProvider& payload_provider_;
  c10::intrusive_ptr<RecordingStore> store_;
  std::shared_ptr<CollectiveCount> count_;
  c10::intrusive_ptr<c10d::Backend> control_;
  c10::intrusive_ptr<c10d::Backend> payload_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;  // the payload's backend, as torch takes it
};

}  // namespace scalemark::distributed
