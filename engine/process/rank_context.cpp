#include "engine/process/rank_context.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/wire.h"
#include "core/launch/outcome.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "engine/device/cuda_plugin.h"
#include "engine/device/device.h"
#include "engine/distributed/providers.h"
#include "engine/distributed/store.h"

namespace scalemark::process {
namespace {

// With a shared GPU, NCCL would hang or fail obscurely; the usual cause is a launcher that shows
// every rank the same GPU.
void refuse_shared_gpus(const std::vector<std::string>& gpu_of_rank) {
  for (std::size_t a = 0; a < gpu_of_rank.size(); ++a) {
    for (std::size_t b = a + 1; b < gpu_of_rank.size(); ++b) {
      if (gpu_of_rank[a].empty() || gpu_of_rank[a] != gpu_of_rank[b]) continue;
      throw configuration(
          "ranks " + std::to_string(a) + " and " + std::to_string(b) + " are both on " +
              gpu_of_rank[a],
          "NCCL needs a GPU for each rank",
          "check CUDA_VISIBLE_DEVICES and the launcher's binding, or use --backend gloo");
    }
  }
}

// Covers what rank 0 will compare in the preflight, as far as it is known before the ranks have
// met.
std::string digest_of(const ProcessSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.common) text.append(name).append(value).append("\n");
  return sha256_hex(text).substr(0, 16);
}

std::chrono::milliseconds enter_rendezvous(PhaseTracker& phase_tracker) {
  phase_tracker.enter("rendezvous");
  return milliseconds_of(phase_tracker.timeout_of("rendezvous"));
}

// A collective waits for the slowest peer, whichever phase that peer is in.
std::chrono::milliseconds longest_timeout(const PhaseTracker& phase_tracker) {
  double longest_s = 0;
  for (const std::string_view phase : settings::timeout_phases()) {
    longest_s = std::max(longest_s, phase_tracker.timeout_of(std::string(phase)));
  }
  return milliseconds_of(longest_s);
}

std::string interface_of(const RunRequest& request, std::chrono::milliseconds limit) {
  if (request.world.local_world_size < request.world.world_size) {
    distributed::require_way_to(request.world, request.rendezvous, limit);
  }
  return distributed::gloo_interface(request.world, request.rendezvous, limit);
}

const cuda::CudaApi* open_cuda_plugin(const RunRequest& request) {
  if (request.settings.device == settings::DeviceKind::kCpu) return nullptr;
  return &device::load_cuda_plugin(request.library_folder);
}

std::unique_ptr<device::Device> open_device(const cuda::CudaApi* cuda, int local_rank) {
  return cuda == nullptr ? device::make_cpu_device() : cuda->make_device(local_rank);
}

distributed::PluginProviders providers_of(const cuda::CudaApi* cuda, const RunRequest& request) {
  distributed::PluginProviders providers;
  if (cuda != nullptr) providers.nccl = &cuda->nccl();
  if (!request.mpi_library.empty()) {
    providers.mpi =
        &distributed::load_mpi_plugin(request.library_folder, request.mpi_library).provider();
  }
  return providers;
}

}  // namespace

RankContext::RankContext(const RunRequest& request, PhaseTracker& phase_tracker,
                         FailureReporter& failures)
    : request_(request),
      phase_tracker_(phase_tracker),
      failures_(failures),
      rendezvous_timeout_(enter_rendezvous(phase_tracker)),
      timeout_(longest_timeout(phase_tracker)),
      host_(host_name()),
      interface_(interface_of(request, rendezvous_timeout_)),
      cuda_(open_cuda_plugin(request)),
      device_(open_device(cuda_, request.world.local_rank)),
      plugins_(providers_of(cuda_, request)),
      joined_(distributed::join(request.world, request.rendezvous, rendezvous_timeout_,
                                digest_of(request.settings))),
      error_store_(joined_.store, request.world.rank, request.world.world_size,
                   joined_.hosts_store),
      posted_failures_(failures.attach(error_store_)) {
  joined_.store->setTimeout(timeout_);  // groups are made through this store
  if (!request.error_file.empty()) {
    error_store_.also_ask([file = request.error_file] { return launching::cause_beside(file); });
  }
}

void RankContext::connect() {
  control_.emplace(joined_.store, world().rank, world().world_size, timeout_, interface_,
                   error_store_);
  use(control_->count(), distributed::all_ranks(world().world_size));
  const std::string gpu = device_->identity();
  using NodeAndGpu = std::pair<int, std::string>;
  for (const auto& bytes : control_->all_gather(to_wire(NodeAndGpu(world().node, gpu)))) {
    const auto [node, its_gpu] = from_wire<NodeAndGpu>(bytes);
    node_of_rank_.push_back(node);
    ranks_on_gpu_ += !gpu.empty() && its_gpu == gpu ? 1 : 0;
  }
  if (plugins_.mpi == nullptr) return;
  plugins_.mpi->start(world());
  abort_provider_ = plugins_.mpi;
}

void RankContext::give_up(const ErrorRecord& fault) {
  distributed::end_process(abort_provider(), static_cast<int>(failures_.report(fault)));
}

void RankContext::refuse_shared_gpus() {
  process::refuse_shared_gpus(control_->all_gather(device_->identity()));
}

std::unique_ptr<distributed::PointGroup> RankContext::open_group(const std::string& name,
                                                                 const std::vector<int>& members,
                                                                 int rank,
                                                                 const std::string& backend) {
  const c10::Device device = device_->torch_device();
  const auto& payload = distributed::find_provider(backend, device.type(), plugins_);
  if (plugins_.mpi == nullptr) abort_provider_ = &payload;
  auto group =
      std::make_unique<distributed::PointGroup>(distributed::GroupSpec{.store = joined_.store,
                                                                       .name = name,
                                                                       .members = members,
                                                                       .rank = rank,
                                                                       .device = device,
                                                                       .timeout = timeout_,
                                                                       .interface = interface_},
                                                payload);
  use(group->count(), members);
  return group;
}

void RankContext::use(std::shared_ptr<distributed::CollectiveCount> count,
                      std::vector<int> members) {
  const std::lock_guard lock(in_use_mutex_);
  const auto before = in_use_.begun_before + (in_use_.count ? in_use_.count->begun() : 0);
  in_use_ = {std::move(count), std::move(members), before};
}

RankContext::GroupInUse RankContext::group_in_use() const {
  const std::lock_guard lock(in_use_mutex_);
  return in_use_;
}

}  // namespace scalemark::process
