// The two kinds of process groups: one control group over the whole run, on the CPU, for gathers;
// and one group per point, over which everything inside the point travels, its own control group
// included. Knows neither records nor settings.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "engine/distributed/error_store.h"
#include "engine/distributed/recording_store.h"

namespace scalemark::distributed {

// Every call is a collective of its ranks: each makes the same calls in the same order.
// They throw what translate_collective_error() returns, at the latest after the timeout.
class ControlGroup {
 public:
  // `interface`: see gloo_interface(). `error_store` must outlive the group.
  ControlGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
               std::chrono::milliseconds timeout, const std::string& interface,
               ErrorStore& error_store);
  // Over a point's group: its members only, its CPU backend. `cause_limit`: how long a failure
  // waits for the cause that a peer may post on the error_store.
  ControlGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
               std::chrono::milliseconds timeout, ErrorStore& error_store,
               std::chrono::milliseconds cause_limit);

  int rank() const { return rank_; }
  int world_size() const { return world_size_; }

  // Everybody's bytes in rank order; the lengths may differ, and so may be nothing.
  std::vector<std::string> all_gather(const std::string& mine);
  // The same on rank 0 only; empty on the others.
  std::vector<std::string> gather(const std::string& mine);
  // Rank 0's bytes; what the others pass is ignored.
  std::string broadcast(const std::string& from_rank_0);
  void barrier();

 private:
  int rank_;
  int world_size_;
  std::chrono::milliseconds timeout_;
  ErrorStore& error_store_;
  std::chrono::milliseconds cause_limit_ = ErrorStore::kCauseLimit;
  c10::intrusive_ptr<c10d::Backend> backend_;  // absent with one rank
};

// What carries device tensors: called with the group's store, this rank's number in the group and
// the group's size. Usually device::Device::make_backend.
struct DeviceBackend {
  c10::DeviceType device = c10::DeviceType::CPU;
  std::string name = "gloo";  // gloo | nccl | mpi
  std::function<c10::intrusive_ptr<c10d::Backend>(c10::intrusive_ptr<c10d::Store>, int rank,
                                                  int size)>
      make;
};

// A process group that leaves nothing behind: CPU tensors go over Gloo, a device's tensors over its
// own backend, keys stand under the group's name and are deleted by close().
class PointGroup {
 public:
  // Collective over the members. `store`: the run's; `name`: unique within the run; `rank`, `size`:
  // within the group. Without `device`, CPU only.
  PointGroup(const c10::intrusive_ptr<c10d::Store>& store, const std::string& name, int rank,
             int size, std::chrono::milliseconds timeout, const std::string& interface,
             const std::optional<DeviceBackend>& device = std::nullopt);
  PointGroup(const PointGroup&) = delete;
  PointGroup& operator=(const PointGroup&) = delete;

  // For c10d::Reducer and collectives. Let go of every copy before close().
  const c10::intrusive_ptr<c10d::ProcessGroup>& group() const { return group_; }

  // Ends pending collectives of backends that can (NCCL): safe while another thread is stuck in
  // one.
  void abort() noexcept;

  // Drops the group: peers that wait for this rank in a collective fail.
  void drop() noexcept { group_.reset(); }

  // Once all members are through (after a barrier, gather or vote), and after drop(). Throws what
  // the store throws. Without it, the keys stay.
  void delete_keys();

 private:
  c10::intrusive_ptr<RecordingStore> store_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

}  // namespace scalemark::distributed
