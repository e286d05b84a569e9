// Holds the parts of one rank from start to end: its device, its peers, and the error store in
// which failures are posted.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/telemetry/sampler.h"
#include "engine/cuda/cuda_api.h"
#include "engine/device/device.h"
#include "engine/distributed/backends.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/rendezvous.h"
#include "engine/process/failure_reporter.h"
#include "engine/process/run_request.h"
#include "engine/process/vitals.h"
#include "report/record/records.h"

namespace scalemark::process {

class RankContext {
 public:
  // Opens the device and meets the other ranks: phase "rendezvous". From then on, `failures` are
  // posted to the peers. Throws what join() and the devices throw.
  RankContext(const RunRequest& request, PhaseTracker& phase_tracker, FailureReporter& failures);

  // Connects all ranks for gathers and results, learns where each is, and starts MPI where it is
  // wanted. As the first collective it comes after the preflight.
  void connect();

  // Throws configuration() (78) when two ranks of the world have the same GPU. Call it after
  // connect(), on every rank, where NCCL is to be used.
  void refuse_shared_gpus() const;

  // Collective over `members`, which are ranks of the world; this one is number `rank` among them.
  std::unique_ptr<distributed::PointGroup> open_group(const std::string& name,
                                                      const std::vector<int>& members, int rank,
                                                      const std::string& backend);

  // The group over which this rank's collectives go now, by which a hang is explained. Any thread
  // may ask.
  struct GroupInUse {
    std::shared_ptr<distributed::CollectiveCount> count;  // null before the first group
    std::vector<int> members;
    std::uint64_t begun_before = 0;  // collectives begun in earlier groups
  };
  GroupInUse group_in_use() const;

  // Returns the provider that can end the process at once: MPI once it is started, else that of the
  // last opened group's payload; null before the first. Safe from another thread.
  const distributed::BackendProvider* abort_provider() const { return abort_provider_; }

  // Ends the process with the code of `fault`. A side thread calls it when the main thread is
  // stuck.
  [[noreturn]] void give_up(const ErrorRecord& fault);
  // Lists the versions of the libraries behind the backends, by the backend's name.
  std::map<std::string, distributed::LibraryVersion> backend_versions() const {
    return distributed::library_versions(plugins_);
  }

  // From now on the machine is read: see telemetry.h.
  void watch_machine(std::unique_ptr<monitoring::Sampler> sampler) {
    sampler_ = std::move(sampler);
  }
  // Call it after watch_machine().
  monitoring::Sampler& telemetry() { return *sampler_; }
  // The number of compute threads of the point that is measured now.
  const std::atomic<int>& compute_threads() const { return compute_threads_; }
  void set_compute_threads(int threads) { compute_threads_.store(threads); }

  // Valid from the start but for nodes and local_world_size: until connect() they are what the
  // launcher says or, under mpirun, assumed.
  const launching::World& world() const { return world_; }
  const std::string& host() const { return host_; }
  // Tells this machine from any other: its host name and its kernel's boot, since several may be
  // called "localhost".
  std::string machine() const;
  device::Device& device() { return *device_; }
  const c10::intrusive_ptr<c10d::Store>& store_pointer() const { return joined_.store; }
  distributed::ErrorStore& error_store() { return error_store_; }
  distributed::ControlGroup& control() { return *control_; }
  PhaseTracker& phase_tracker() { return phase_tracker_; }
  double rendezvous_s() const { return joined_.seconds; }
  // The limit for collectives and results.
  std::chrono::milliseconds timeout() const { return timeout_; }
  // The node of every rank of the world; valid after connect().
  const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  // The number of ranks that compute on this rank's GPU, itself included; 0 on a CPU. Valid after
  // connect().
  int ranks_on_gpu() const { return ranks_on_gpu_; }

 private:
  void use(std::shared_ptr<distributed::CollectiveCount> count, std::vector<int> members);

  const RunRequest& request_;
  PhaseTracker& phase_tracker_;
  FailureReporter& failures_;
  std::chrono::milliseconds rendezvous_timeout_, timeout_;
  launching::World world_;
  std::string host_;
  std::string interface_;
  const cuda::CudaApi* cuda_;  // null on a CPU
  std::unique_ptr<device::Device> device_;
  distributed::PluginProviders plugins_;
  std::atomic<const distributed::BackendProvider*> abort_provider_{nullptr};
  distributed::Joined joined_;
  distributed::ErrorStore error_store_;
  std::optional<distributed::ControlGroup> control_;
  std::vector<int> node_of_rank_;
  int ranks_on_gpu_ = 0;
  std::string shared_gpu_;  // the first that several ranks have, in words; empty: none
  std::atomic<int> compute_threads_{1};
  std::unique_ptr<monitoring::Sampler> sampler_;
  mutable std::mutex in_use_mutex_;
  GroupInUse in_use_;
  FailureReporter::Attachment posted_failures_;
};

}  // namespace scalemark::process
