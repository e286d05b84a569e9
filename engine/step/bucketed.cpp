#include "engine/step/bucketed.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/settings/processes.h"
#include "engine/step/metered_group.h"
#include "engine/step/strategy.h"

namespace scalemark::training {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: a cache line, and more than vector loads need

std::int64_t rounded_up(std::int64_t elements, std::int64_t step) {
  return (elements + step - 1) / step * step;
}

BucketLayout layout_of(const std::vector<NamedParameter>& parameters,
                       const std::vector<std::size_t>& members, std::int64_t parts) {
  const auto element_bytes =
      static_cast<std::int64_t>(parameters[members.front()].tensor.element_size());
  const std::int64_t line = kAlignment / element_bytes;
  BucketLayout layout;
  for (const std::size_t i : members) {
    layout.places.push_back({i, layout.elements});
    layout.elements += rounded_up(parameters[i].tensor.numel(), line);
  }
  layout.elements = rounded_up(layout.elements, line * parts);
  return layout;
}

}  // namespace

std::int64_t bytes_of_mb(double mb, const char* option) {
  const double bytes = std::floor(mb * 1024 * 1024);
  if (!(bytes >= 1) || bytes > 9e18) {
    throw configuration(std::string(option) + " is " + std::to_string(mb),
                        "a size in MiB of at least one byte");
  }
  return static_cast<std::int64_t>(bytes);
}

std::vector<BucketLayout> bucket_layouts(const std::vector<NamedParameter>& parameters,
                                         const settings::ParallelSettings& settings,
                                         std::int64_t parts) {
  const std::vector<std::size_t> limits = {
      static_cast<std::size_t>(bytes_of_mb(settings.first_bucket_cap_mb, "first_bucket_cap_mb")),
      static_cast<std::size_t>(bytes_of_mb(settings.bucket_cap_mb, "bucket_cap_mb"))};
  const std::size_t last = parameters.size() - 1;
  std::vector<at::Tensor> reversed;
  for (std::size_t i = 0; i <= last; ++i) reversed.push_back(parameters[last - i].tensor);
  auto assignment = std::get<0>(c10d::compute_bucket_assignment_by_size(reversed, limits));
  std::vector<BucketLayout> layouts;
  for (auto& members : assignment) {
    for (std::size_t& member : members) member = last - member;
    layouts.push_back(layout_of(parameters, members, parts));
  }
  return layouts;
}

std::vector<at::Tensor> zero_buffers(const std::vector<NamedParameter>& parameters,
                                     const std::vector<BucketLayout>& layouts) {
  std::vector<at::Tensor> buffers;
  for (const BucketLayout& layout : layouts) {
    const at::Tensor& first = parameters[layout.places.front().parameter].tensor;
    buffers.push_back(at::zeros({layout.elements}, first.options().requires_grad(false)));
  }
  return buffers;
}

at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset) {
  const at::Tensor part = buffer.narrow(0, offset, parameter.numel());
  if (!parameter.is_non_overlapping_and_dense()) return part.view(parameter.sizes());
  return part.as_strided(parameter.sizes(), parameter.strides());
}

std::vector<at::Tensor> flatten_parameters(const std::vector<NamedParameter>& parameters,
                                           const std::vector<BucketLayout>& layouts) {
  const at::NoGradGuard no_grad;
  auto buffers = zero_buffers(parameters, layouts);
  for (std::size_t b = 0; b < layouts.size(); ++b) {
    for (const BucketPlace& place : layouts[b].places) {
      const at::Tensor& parameter = parameters[place.parameter].tensor;
      at::Tensor view = view_for(parameter.detach(), buffers[b], place.offset);
      view.copy_(parameter);
      parameter.set_data(view);
    }
  }
  return buffers;
}

class GradientBuckets::Fill final : public torch::autograd::PostAccumulateGradHook {
 public:
  Fill(GradientBuckets& buckets, std::size_t bucket, std::size_t parameter, at::Tensor view)
      : buckets_(buckets), bucket_(bucket), parameter_(parameter), view_(std::move(view)) {}

  void operator()(const at::Tensor& parameter) override {
    at::Tensor& gradient = parameter.mutable_grad();
    if (!gradient.is_same(view_)) {  // the first micro-step; later ones add to the view
      view_.copy_(gradient);
      gradient = view_;
    }
    buckets_.note_filled(bucket_, parameter_);
  }

 private:
  GradientBuckets& buckets_;
  std::size_t bucket_, parameter_;
  at::Tensor view_;
};

GradientBuckets::GradientBuckets(std::vector<NamedParameter> parameters,
                                 std::vector<BucketLayout> layouts, Full full)
    : parameters_(std::move(parameters)),
      layouts_(std::move(layouts)),
      full_(std::move(full)),
      buffers_(zero_buffers(parameters_, layouts_)),
      missing_(layouts_.size()),
      filled_(parameters_.size()) {
  for (std::size_t b = 0; b < layouts_.size(); ++b) {
    for (const BucketPlace& place : layouts_[b].places) {
      const at::Tensor& parameter = parameters_[place.parameter].tensor;
      const at::Tensor view = view_for(parameter.detach(), buffers_[b], place.offset);
      torch::autograd::impl::set_post_acc_grad_hooks(
          parameter, std::make_unique<Fill>(*this, b, place.parameter, view));
    }
  }
}

GradientBuckets::~GradientBuckets() {
  for (const NamedParameter& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter.tensor, nullptr);
  }
}

void GradientBuckets::begin_backward(bool synchronise) {
  synchronising_ = synchronise;
  next_ = 0;
  filled_.assign(filled_.size(), false);
  for (std::size_t b = 0; b < size(); ++b) missing_[b] = layouts_[b].places.size();
}

void GradientBuckets::note_filled(std::size_t bucket, std::size_t parameter) {
  if (!synchronising_) return;
  filled_[parameter] = true;
  --missing_[bucket];
  while (next_ < size() && missing_[next_] == 0) full_(next_++);
}

void GradientBuckets::fill_without_backward() {
  for (std::size_t b = 0; b < size(); ++b) {
    for (const BucketPlace& place : layouts_[b].places) {
      at::Tensor parameter = parameters_[place.parameter].tensor;
      parameter.mutable_grad() = view_for(parameter.detach(), buffers_[b], place.offset);
    }
  }
  while (next_ < size()) full_(next_++);
}

void GradientBuckets::require_all_full(const std::string& strategy) const {
  if (next_ == size()) return;
  std::string names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!filled_[i]) names += (names.empty() ? "" : ", ") + parameters_[i].name;
  }
  throw configuration("no gradient came for " + names,
                      "strategy " + strategy + " needs one for every parameter in every step",
                      "use --strategy ddp --find-unused-parameters");
}

Bucketed::Bucketed(const StrategyInput& input, std::vector<BucketLayout> layouts)
    : Strategy(input.parameters),
      name_(input.settings.strategy),
      statistics_(input.buffers),
      whole_group_(input.group),
      group_(c10::make_intrusive<MeteredGroup>(whole_group_)),
      compressed_(compressed_type(input.settings.gradient_compression)),
      contributors_(group_->getSize() - (settings::has_dedicated_server(input.settings) ? 1 : 0)),
      buckets_(input.parameters, std::move(layouts), [this](std::size_t bucket) { send(bucket); }) {
  if (!input.settings.overlap) group_->set_exchange(Exchange::kAfterwards);
  start_alike(input);
}

void Bucketed::before_forward(bool /*synchronise*/) {
  if (step_begins_) group_->begin_step();
  step_begins_ = false;
}

void Bucketed::before_backward(const at::Tensor& /*loss*/, bool synchronise,
                               measurement::StepMarker& marker) {
  synchronising_ = synchronise;
  buckets_.begin_backward(synchronise);
  if (!synchronise) return;
  step_begins_ = true;
  group_->begin_backward(buckets_.size(), marker);
}

at::Tensor Bucketed::backward_seed(const at::Tensor& loss) {
  const double share = compressed_ ? 1.0 : 1.0 / contributors_;
  if (!seed_.defined()) seed_ = at::full_like(loss.detach(), share);
  return seed_;
}

void Bucketed::after_backward() {
  if (!synchronising_) return;
  buckets_.require_all_full(name_);
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) receive(bucket);
}

void Bucketed::share_statistics() { broadcast_from_rank_0(whole_group_, statistics_); }

}  // namespace scalemark::training
