#include "engine/training/gradient_buckets.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

#include "core/base/error.h"

namespace scalemark::training {

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

}  // namespace scalemark::training
