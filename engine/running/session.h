// What one rank holds from start to end: its device, its peers, and the board on which faults are
// posted.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"
#include "engine/device/device.h"
#include "engine/distributed/fault.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/rendezvous.h"
#include "engine/running/engine_api.h"
#include "engine/running/progression.h"

namespace scalemark::running {

class Session {
 public:
  // Opens the device and meets the other ranks: phase "rendezvous". Throws as join() and the
  // devices do.
  Session(const RunRequest& request, Progression& progression);

  // Connects all ranks for gathers and votes. After the preflight: it is the first collective.
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
  distributed::FaultBoard& board() { return board_; }
  distributed::ControlGroup& control() { return *control_; }
  Progression& progression() { return progression_; }
  double rendezvous_s() const { return joined_.seconds; }
  // Of collectives and votes.
  std::chrono::milliseconds timeout() const { return timeout_; }
  // Of every rank of the world; after connect().
  const std::vector<int>& node_of_rank() const { return node_of_rank_; }

 private:
  const RunRequest& request_;
  Progression& progression_;
  std::chrono::milliseconds rendezvous_timeout_, timeout_;
  std::string host_;
  std::string interface_;
  std::unique_ptr<device::Device> device_;
  distributed::Joined joined_;
  distributed::FaultBoard board_;
  std::optional<distributed::ControlGroup> control_;
  std::vector<int> node_of_rank_;
};

}  // namespace scalemark::running
