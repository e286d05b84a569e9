#include "engine/process/rank_context.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/text.h"
#include "core/launch/outcome.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "engine/device/cuda_plugin.h"
#include "engine/device/device.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/providers.h"
#include "engine/distributed/store.h"

namespace scalemark::process {
namespace {

// Each rank tells rank 0 where it is.
struct Told {
  std::optional<int> node;  // see launching::RankPlace
  std::string machine;
  std::string gpu;  // empty: it computes on a CPU
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Told>& t) {
  a.values(t.node, t.machine, t.gpu);
}

// Nodes with successive numbers and equally many ranks in a row. Every rank receives a list of
// these, which stays short, where one number for each rank would be N^2 bytes in all.
struct NodesInARow {
  int first = 0, count = 0, ranks_of_each = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<NodesInARow>& n) {
  a.values(n.first, n.count, n.ranks_of_each);
}

std::vector<NodesInARow> in_rows(const std::vector<int>& node_of_rank) {
  std::vector<NodesInARow> nodes, rows;
  for (const auto& ranks : runs_of(node_of_rank, std::equal_to()))
    nodes.push_back(
        {.first = ranks.front(), .count = 1, .ranks_of_each = static_cast<int>(ranks.size())});
  const auto continues = [](const NodesInARow& a, const NodesInARow& b) {
    return kNextNumber(a.first, b.first) && a.ranks_of_each == b.ranks_of_each;
  };
  for (const auto& row : runs_of(nodes, continues))
    rows.push_back({row.front().first, static_cast<int>(row.size()), row.front().ranks_of_each});
  return rows;
}

// Rank 0 tells all this, which it makes of what each has told.
struct Places {
  std::vector<NodesInARow> nodes;
  std::map<std::string, int> ranks_on;  // GPUs on which several ranks are
  std::string shared_gpu;               // the first of them, in words
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Places>& p) {
  a.values(p.nodes, p.ranks_on, p.shared_gpu);
}

Places places_of(const std::vector<Told>& of_ranks) {
  std::vector<launching::RankPlace> ranks;
  std::map<std::string, int> first_on;
  Places places;
  for (const Told& told : of_ranks) {
    const auto rank = static_cast<int>(ranks.size());
    ranks.push_back({.node = told.node, .machine = told.machine});
    const auto [first, is_first] = first_on.try_emplace(told.gpu, rank);
    if (told.gpu.empty() || is_first) continue;
    ++places.ranks_on.try_emplace(told.gpu, 1).first->second;
    if (places.shared_gpu.empty())
      places.shared_gpu =
          distributed::name_ranks({first->second, rank}) + " are both on " + told.gpu;
  }
  places.nodes = in_rows(launching::nodes_of(ranks));
  return places;
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

distributed::ErrorStore::AskLauncher launcher_of(const RunRequest& request) {
  if (request.error_file.empty()) return {};
  return [file = request.error_file] { return launching::cause_beside(file); };
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
      world_(request.world),
      host_(host_name()),
      interface_(interface_of(request, rendezvous_timeout_)),
      cuda_(open_cuda_plugin(request)),
      device_(open_device(cuda_, request.world.local_rank)),
      plugins_(providers_of(cuda_, request)),
      joined_(distributed::join(request.world, request.rendezvous, rendezvous_timeout_,
                                digest_of(request.settings), launcher_of(request))),
      error_store_(joined_.store, request.world.rank, request.world.world_size,
                   joined_.hosts_store),
      posted_failures_(failures.attach(error_store_)) {
  joined_.store->setTimeout(timeout_);  // groups are made through this store
  if (auto launcher = launcher_of(request)) error_store_.also_ask(std::move(launcher));
}

void RankContext::connect() {
  control_.emplace(joined_.store, world().rank, world().world_size, timeout_, interface_,
                   error_store_);
  use(control_->count(), distributed::all_ranks(world().world_size));
  const Told mine{.node = world_.assumes_node ? std::nullopt : std::optional(world_.node),
                  .machine = machine(),
                  .gpu = device_->identity()};
  const auto places = distributed::answered(*control_, mine, places_of);
  for (const NodesInARow& row : places.nodes) {
    for (int node = row.first; node < row.first + row.count; ++node)
      node_of_rank_.insert(node_of_rank_.end(), static_cast<std::size_t>(row.ranks_of_each), node);
  }
  world_.node = node_of_rank_.at(static_cast<std::size_t>(world_.rank));
  world_.nodes = 1 + *std::ranges::max_element(node_of_rank_);
  world_.local_world_size = static_cast<int>(std::ranges::count(node_of_rank_, world_.node));
  shared_gpu_ = places.shared_gpu;
  if (!mine.gpu.empty()) ranks_on_gpu_ = value_at(places.ranks_on, mine.gpu, 1);
  if (plugins_.mpi == nullptr) return;
  plugins_.mpi->start(world());
  abort_provider_ = plugins_.mpi;
}

std::string RankContext::machine() const { return host_ + "/" + monitoring::machine_id(); }

void RankContext::give_up(const ErrorRecord& fault) {
  distributed::end_process(abort_provider(), static_cast<int>(failures_.report(fault)));
}

// With a shared GPU, NCCL would hang or fail obscurely; the usual cause is a launcher that shows
// every rank the same GPU.
void RankContext::refuse_shared_gpus() const {
  if (shared_gpu_.empty()) return;
  throw configuration(
      shared_gpu_, "NCCL needs a GPU for each rank",
      "check CUDA_VISIBLE_DEVICES and the launcher's binding, or use --backend gloo");
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
