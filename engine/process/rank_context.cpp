#include "engine/process/rank_context.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "engine/device/cuda_part.h"
#include "engine/distributed/gloo.h"
#include "engine/distributed/network.h"

namespace scalemark::process {
namespace {

// NCCL would hang or fail obscurely; a launcher that shows every rank the same GPU is the usual
// cause.
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

// Of what rank 0 will compare in the preflight, as far as it is known before the ranks have met.
std::string fingerprint_of(const ProcessSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.common) text.append(name).append(value).append("\n");
  return sha256_hex(text).substr(0, 16);
}

std::chrono::milliseconds enter_rendezvous(PhaseTracker& phase_tracker) {
  phase_tracker.enter("rendezvous");
  return milliseconds_of(phase_tracker.timeout_of("rendezvous"));
}

// A collective waits for the slowest peer, whatever phase that one may be in.
std::chrono::milliseconds longest_timeout(const PhaseTracker& phase_tracker) {
  double longest_s = 0;
  for (const std::string_view phase : settings::timeout_phases()) {
    longest_s = std::max(longest_s, phase_tracker.timeout_of(std::string(phase)));
  }
  return milliseconds_of(longest_s);
}

std::unique_ptr<device::Device> open_device(const RunRequest& request,
                                            const std::string& interface) {
  const device::GlooMaker make_gloo = [interface](c10::intrusive_ptr<c10d::Store> store, int rank,
                                                  int size, std::chrono::milliseconds timeout) {
    return distributed::make_gloo_backend(std::move(store), rank, size, timeout, interface);
  };
  if (request.settings.device == settings::DeviceKind::kCpu) {
    return device::make_cpu_device(make_gloo);
  }
  return device::load_cuda_device(request.library_folder, request.world.local_rank, make_gloo);
}

}  // namespace

RankContext::RankContext(const RunRequest& request, PhaseTracker& phase_tracker)
    : request_(request),
      phase_tracker_(phase_tracker),
      rendezvous_timeout_(enter_rendezvous(phase_tracker)),
      timeout_(longest_timeout(phase_tracker)),
      host_(distributed::local_host_name()),
      interface_(
          distributed::gloo_interface(request.world, request.rendezvous, rendezvous_timeout_)),
      device_(open_device(request, interface_)),
      joined_(distributed::join(request.world, request.rendezvous, rendezvous_timeout_,
                                fingerprint_of(request.settings))),
      error_store_(joined_.store, request.world.rank, request.world.world_size,
                   joined_.hosts_store) {
  joined_.store->setTimeout(timeout_);  // groups are made through it
}

void RankContext::connect() {
  control_.emplace(joined_.store, world().rank, world().world_size, timeout_, interface_,
                   error_store_);
  for (const std::string& node : control_->all_gather(std::to_string(world().node))) {
    node_of_rank_.push_back(std::stoi(node));
  }
}

void RankContext::refuse_shared_gpus() {
  process::refuse_shared_gpus(control_->all_gather(device_->identity()));
}

std::unique_ptr<distributed::PointGroup> RankContext::open_group(const std::string& name, int rank,
                                                                 int size,
                                                                 const std::string& backend) {
  std::optional<distributed::DeviceBackend> on_device;
  if (device_->torch_device().is_cuda()) {
    on_device = distributed::DeviceBackend{
        .device = device_->torch_device().type(),
        .name = backend,
        .make = [this, backend](c10::intrusive_ptr<c10d::Store> store, int rank, int size) {
          return device_->make_backend(backend, std::move(store), rank, size, timeout_);
        }};
  }
  return std::make_unique<distributed::PointGroup>(joined_.store, name, rank, size, timeout_,
                                                   interface_, on_device);
}

}  // namespace scalemark::process
