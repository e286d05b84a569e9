// The two kinds of process groups: one control group over the whole run, on the CPU, for gathers;
// and one group per point, which carries all traffic inside the point, control traffic included.
// Knows neither records nor settings.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>
#include <vector>

#include "engine/distributed/backend.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/group_end.h"

namespace scalemark::distributed {

// Counts the collectives that this rank has begun in a group. Every member begins the same ones in
// the same order, so the numbers show which rank has not reached one yet.
class CollectiveCount {
 public:
  explicit CollectiveCount(std::string group) : group_(std::move(group)) {}

  const std::string& group() const { return group_; }

  // Counts one collective of the control traffic as it begins.
  void begin_control() noexcept { control_.fetch_add(1, std::memory_order_relaxed); }

  // Adds the payload's collectives, which its backend counts. Null: no more are added; earlier ones
  // stay counted.
  void follow(c10::intrusive_ptr<c10d::Backend> payload) {
    const std::lock_guard lock(mutex_);
    control_.fetch_add(payload_begun(), std::memory_order_relaxed);
    std::swap(payload_, payload);
  }

  // Any thread may call it.
  std::uint64_t begun() const noexcept {
    const std::lock_guard lock(mutex_);
    return control_.load(std::memory_order_relaxed) + payload_begun();
  }

 private:
  std::uint64_t payload_begun() const noexcept try {
    return payload_ ? payload_->getSequenceNumberForGroup() : 0;
  } catch (const std::exception&) {
    return 0;  // the backend does not count
  }

  std::string group_;
  std::atomic<std::uint64_t> control_{0};
  mutable std::mutex mutex_;
  c10::intrusive_ptr<c10d::Backend> payload_;
};

class PointGroup;

// Every call is a collective of its ranks, which must make the same calls in the same order. A call
// throws what translate_collective_error() returns, at the latest after the timeout.
class ControlGroup {
 public:
  // `interface`: see gloo_interface(). `error_store` must outlive the group.
  ControlGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
               std::chrono::milliseconds timeout, const std::string& interface,
               ErrorStore& error_store);
  // The control group of a point's members. `cause_limit`: how long a failure waits for the cause
  // that a peer may post in the error store.
  ControlGroup(const PointGroup& group, std::chrono::milliseconds timeout, ErrorStore& error_store,
               std::chrono::milliseconds cause_limit);

  int rank() const { return rank_; }
  int world_size() const { return world_size_; }
  const std::shared_ptr<CollectiveCount>& count() const { return count_; }

  // Returns every rank's bytes in rank order; the lengths may differ and may be 0.
  std::vector<std::string> all_gather(const std::string& mine);
  // Does the same on rank 0; returns nothing on the others.
  std::vector<std::string> gather(const std::string& mine);
  // Returns rank 0's bytes; what the others pass is ignored.
  std::string broadcast(const std::string& from_rank_0);
  // Each value becomes the largest that any rank has at its index; every rank passes equally many.
  // It reduces in place, which suits many values better than a gather.
  void max_over_ranks(std::vector<double>& values);
  void barrier();

 private:
  int rank_;
  int world_size_;
  std::chrono::milliseconds timeout_;
  ErrorStore& error_store_;
  std::chrono::milliseconds cause_limit_ = ErrorStore::kCauseLimit;
  std::shared_ptr<CollectiveCount> count_;
  c10::intrusive_ptr<c10d::Backend> backend_;  // null with one rank
};

// Returns the members of a group of all ranks.
std::vector<int> all_ranks(int world_size);

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
  // Serves a ControlGroup. Where the payload goes over Gloo, it uses the same connections.
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
