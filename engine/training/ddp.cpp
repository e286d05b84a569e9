#include "engine/training/gradient_sync.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "engine/training/bucket_group.h"

namespace scalemark::training {
namespace {

class NoSync final : public GradientSync {
 public:
  void before_forward(bool) override {}
  void before_backward(const at::Tensor&, bool, measurement::StepMarker&) override {}
  void after_backward() override {}
};

// What the reducer knows and does not tell.
class OpenReducer final : public c10d::Reducer {
 public:
  using c10d::Reducer::Reducer;
  std::size_t bucket_count() const { return buckets_.size(); }
};

constexpr std::size_t kBroadcastBytes = 250 * 1024 * 1024;  // DDP's broadcast_bucket_size

void broadcast_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                           const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) return;
  const at::NoGradGuard no_grad;
  c10d::broadcast_coalesced(group, tensors, kBroadcastBytes, 0);
}

std::vector<at::Tensor> detached(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> result;
  for (const at::Tensor& tensor : tensors) result.push_back(tensor.detach());
  return result;
}

std::int64_t bytes_of_mb(double mb, const char* option) {
  const double bytes = std::floor(mb * 1024 * 1024);
  if (!(bytes >= 1) || bytes > 9e18) {
    throw configuration(std::string(option) + " is " + std::to_string(mb),
                        "a size in MiB of at least one byte");
  }
  return static_cast<std::int64_t>(bytes);
}

// As DDP: everything in one bucket until the first backward has shown the order in which gradients
// come; then the reducer rebuilds. With unused parameters it never does.
std::vector<std::vector<std::size_t>> first_assignment(const std::vector<at::Tensor>& parameters,
                                                       const settings::ParallelSettings& settings,
                                                       std::int64_t first_cap, std::int64_t cap) {
  std::vector<std::size_t> limits = {std::numeric_limits<std::int64_t>::max()};
  if (settings.find_unused_parameters && !settings.static_graph) {
    limits = {static_cast<std::size_t>(first_cap), static_cast<std::size_t>(cap)};
  }
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, limits));
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

class DdpSync final : public GradientSync {
 public:
  DdpSync(const std::vector<NamedParameter>& parameters, const std::vector<at::Tensor>& buffers,
          c10::intrusive_ptr<c10d::ProcessGroup> group, const settings::ParallelSettings& settings);

  void before_forward(bool synchronise) override;
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override;
  void after_backward() override;
  void before_evaluation() override;
  bool gradients_are_bucket_views() const override { return settings_.gradient_as_bucket_view; }
  Communication communication() const override;
  void set_exchange(Exchange exchange) override { group_->set_exchange(exchange); }

 private:
  void agree_on_parameters(const std::vector<at::Tensor>& parameters);
  void make_reducer(const std::vector<NamedParameter>& parameters);

  settings::ParallelSettings settings_;
  std::vector<at::Tensor> buffers_;
  std::int64_t buffer_bytes_ = 0;
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<BucketGroup> group_;
  std::shared_ptr<OpenReducer> reducer_;
  bool broadcast_due_ = true;        // DDP's require_forward_param_sync
  bool static_graph_known_ = false;  // the first synchronised backward has been seen
  bool synchronising_ = false;
};

DdpSync::DdpSync(const std::vector<NamedParameter>& parameters,
                 const std::vector<at::Tensor>& buffers,
                 c10::intrusive_ptr<c10d::ProcessGroup> group,
                 const settings::ParallelSettings& settings)
    : settings_(settings),
      buffers_(buffers),
      whole_group_(std::move(group)),
      group_(c10::make_intrusive<BucketGroup>(whole_group_)) {
  for (const at::Tensor& buffer : buffers_) {
    buffer_bytes_ += static_cast<std::int64_t>(buffer.nbytes());
  }
  if (!settings.overlap) group_->set_exchange(Exchange::kAfterwards);
  agree_on_parameters(tensors_of(parameters));
  make_reducer(parameters);
}

void DdpSync::agree_on_parameters(const std::vector<at::Tensor>& parameters) {
  c10d::verify_params_across_processes(whole_group_, parameters, std::nullopt);
  std::vector<at::Tensor> states = detached(parameters);
  if (settings_.broadcast_buffers) states.insert(states.end(), buffers_.begin(), buffers_.end());
  broadcast_from_rank_0(whole_group_, states);
}

void DdpSync::make_reducer(const std::vector<NamedParameter>& parameters) {
  const std::int64_t cap = bytes_of_mb(settings_.bucket_cap_mb, "bucket_cap_mb");
  const std::int64_t first_cap = bytes_of_mb(settings_.first_bucket_cap_mb, "first_bucket_cap_mb");
  const std::vector<at::Tensor> tensors = tensors_of(parameters);
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) names[i] = parameters[i].name;

  reducer_ = std::make_shared<OpenReducer>(
      tensors, first_assignment(tensors, settings_, first_cap, cap), group_,
      std::vector<bool>(tensors.size(), false), cap, settings_.find_unused_parameters,
      settings_.gradient_as_bucket_view, std::move(names), first_cap,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
  // No c10d::Logger: in each of the first ten steps and in every hundredth it waits for events of
  // the step, on the host, in the middle of the run. Nor the times that it would read.
  reducer_->set_ddp_runtime_logging_sample_rate(std::numeric_limits<int>::max());
  if (settings_.static_graph) reducer_->set_static_graph();
  if (settings_.gradient_compression == "fp16") {
    reducer_->register_builtin_comm_hook(c10d::BuiltinCommHookType::FP16_COMPRESS);
  }
}

void DdpSync::before_forward(bool synchronise) {
  if (synchronise) {
    reducer_->prepare_for_forward();
  } else if (settings_.static_graph) {
    // c10d::Reducer counts the gradients of a static graph in unsynchronised backwards too, and the
    // ranks drift apart silently (found by data_parallel_test).
    throw configuration("static_graph with gradient_accumulation_steps above 1", "one of the two",
                        "leave static_graph out");
  }
  reducer_->rebuild_buckets();  // does something once: in the forward after the first backward
  if (broadcast_due_ && settings_.broadcast_buffers) broadcast_from_rank_0(whole_group_, buffers_);
}

void DdpSync::before_backward(const at::Tensor& loss, bool synchronise,
                              measurement::StepMarker& marker) {
  broadcast_due_ = synchronise;
  synchronising_ = synchronise;
  if (!synchronise) return;
  group_->begin_backward(reducer_->bucket_count(), marker);
  const bool search = settings_.find_unused_parameters && !settings_.static_graph;
  reducer_->prepare_for_backward(search ? std::vector<at::Tensor>{loss}
                                        : std::vector<at::Tensor>{});
}

void DdpSync::after_backward() {
  if (!synchronising_ || !settings_.static_graph || static_graph_known_) return;
  reducer_->delay_all_reduce();
  static_graph_known_ = true;
}

void DdpSync::before_evaluation() {
  if (settings_.broadcast_buffers) broadcast_from_rank_0(whole_group_, buffers_);
}

Communication DdpSync::communication() const {
  Communication result{.bucket_bytes = group_->bucket_bytes()};
  for (const std::int64_t bytes : result.bucket_bytes) result.payload_bytes_per_step += bytes;
  result.payload_bytes_per_step += group_->other_bytes();
  if (settings_.broadcast_buffers) result.payload_bytes_per_step += buffer_bytes_;
  return result;
}

// Gloo's threads make their own current stream, the default one, wait for a result.
void check_stream(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl streams(device.type());
  require_default_stream(group->getBackend(device.type())->getBackendName(),
                         streams.getStream(device), streams.getDefaultStream(device));
}

}  // namespace

void require_default_stream(const std::string& backend, c10::Stream current, c10::Stream standard) {
  if (backend != "gloo" || current == standard) return;
  throw bug(
      "a GPU's gradients go over gloo from a stream beside the default one, which alone "
      "waits for gloo's results");
}

std::unique_ptr<GradientSync> make_no_sync() { return std::make_unique<NoSync>(); }

std::unique_ptr<GradientSync> make_ddp_sync(const std::vector<NamedParameter>& parameters,
                                            const std::vector<at::Tensor>& buffers,
                                            c10::intrusive_ptr<c10d::ProcessGroup> group,
                                            const settings::ParallelSettings& settings) {
  if (!group) throw bug("strategy ddp without a process group");
  if (parameters.empty()) throw configuration("the network has no trainable parameters");
  check_stream(group, parameters.front().tensor.device());
  return std::make_unique<DdpSync>(parameters, buffers, std::move(group), settings);
}

}  // namespace scalemark::training
