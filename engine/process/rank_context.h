// One rank holds this from start to end: its device, its peers, and the error store in which
// failures are posted.
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
  // posted to the peers. Throws as join() and the devices do.
  RankContext(const RunRequest& request, PhaseTracker& phase_tracker, FailureReporter& failures);

  // Connects all ranks for gathers and results, and starts MPI where it is asked for. After the
  // preflight: it is the first collective.
  void connect();

  // Collective over all ranks, for what NCCL is to do: throws configuration() (78) when two of them
  // have the same GPU.
  void refuse_shared_gpus();

  // Collective over `members`, ranks of the world, of which this one is number `rank`.
  std::unique_ptr<distributed::PointGroup> open_group(const std::string& name,
                                                      const std::vector<int>& members, int rank,
                                                      const std::string& backend);

  // This rank's collectives go over this group now: a hang is explained by it. From any thread.
  struct GroupInUse {
    std::shared_ptr<distributed::CollectiveCount> count;  // null before the first
    std::vector<int> members;
    std::uint64_t begun_before = 0;  // in the groups before it
  };
  GroupInUse group_in_use() const;

  // This provider knows how the process ends at once: MPI once it is started, else the payload of
  // the last group that was opened; null before the first. Safe from another thread.
  const distributed::BackendProvider* abort_provider() const { return abort_provider_; }

  // Ends the process with the code of `fault`, from a side thread: the main thread is stuck.
  [[noreturn]] void give_up(const ErrorRecord& fault);
  // Lists the versions of the libraries behind the backends, by the backend's name.
  std::map<std::string, distributed::LibraryVersion> backend_versions() const {
    return distributed::library_versions(plugins_);
  }

  // The machine is read from now on: see telemetry.h.
  void watch_machine(std::unique_ptr<monitoring::Sampler> sampler) {
    sampler_ = std::move(sampler);
  }
  // After watch_machine().
  monitoring::Sampler& telemetry() { return *sampler_; }
  // How many threads compute, of the point that is measured now.
  const std::atomic<int>& compute_threads() const { return compute_threads_; }
  void set_compute_threads(int threads) { compute_threads_.store(threads); }

  const launching::World& world() const { return request_.world; }
  const std::string& host() const { return host_; }
  device::Device& device() { return *device_; }
  const c10::intrusive_ptr<c10d::Store>& store_pointer() const { return joined_.store; }
  distributed::ErrorStore& error_store() { return error_store_; }
  distributed::ControlGroup& control() { return *control_; }
  PhaseTracker& phase_tracker() { return phase_tracker_; }
  double rendezvous_s() const { return joined_.seconds; }
  // Bounds collectives and results.
  std::chrono::milliseconds timeout() const { return timeout_; }
  // Holds the node of every rank of the world; after connect().
  const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  // Ranks of the world that compute on this rank's GPU, itself counted; 0 on a CPU. After
  // connect().
  int ranks_on_gpu() const { return ranks_on_gpu_; }

 private:
  void use(std::shared_ptr<distributed::CollectiveCount> count, std::vector<int> members);

  const RunRequest& request_;
  PhaseTracker& phase_tracker_;
  FailureReporter& failures_;
  std::chrono::milliseconds rendezvous_timeout_, timeout_;
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
  std::atomic<int> compute_threads_{1};
  std::unique_ptr<monitoring::Sampler> sampler_;
  mutable std::mutex in_use_mutex_;
  GroupInUse in_use_;
  FailureReporter::Attachment posted_failures_;
};

}  // namespace scalemark::process
