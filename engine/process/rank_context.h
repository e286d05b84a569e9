// What one rank holds from start to end: its device, its peers, and the error_store on which faults
// are posted.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/records.h"
#include "engine/device/device.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/rendezvous.h"
#include "engine/process/phase_tracker.h"
#include "engine/process/run_request.h"

namespace scalemark::process {

class RankContext {
 public:
  // Opens the device and meets the other ranks: phase "rendezvous". Throws as join() and the
  // devices do.
  RankContext(const RunRequest& request, PhaseTracker& phase_tracker);

  // Connects all ranks for gathers and results. After the preflight: it is the first collective.
  void connect();

  // Collective over all ranks, for what NCCL is to do: throws configuration() (78) when two of them
  // have the same GPU.
  void refuse_shared_gpus();

  // Collective over the members: a group of `size` ranks, of which this one is number `rank`.
  std::unique_ptr<distributed::PointGroup> open_group(const std::string& name, int rank, int size,
                                                      const std::string& backend);

  const launching::World& world() const { return request_.world; }
  const std::string& host() const { return host_; }
  device::Device& device() { return *device_; }
  const c10::intrusive_ptr<c10d::Store>& store_pointer() const { return joined_.store; }
  distributed::ErrorStore& error_store() { return error_store_; }
  distributed::ControlGroup& control() { return *control_; }
  PhaseTracker& phase_tracker() { return phase_tracker_; }
  double rendezvous_s() const { return joined_.seconds; }
  // Of collectives and results.
  std::chrono::milliseconds timeout() const { return timeout_; }
  // Of every rank of the world; after connect().
  const std::vector<int>& node_of_rank() const { return node_of_rank_; }

 private:
  const RunRequest& request_;
  PhaseTracker& phase_tracker_;
  std::chrono::milliseconds rendezvous_timeout_, timeout_;
  std::string host_;
  std::string interface_;
  std::unique_ptr<device::Device> device_;
  distributed::Joined joined_;
  distributed::ErrorStore error_store_;
  std::optional<distributed::ControlGroup> control_;
  std::vector<int> node_of_rank_;
};

}  // namespace scalemark::process
