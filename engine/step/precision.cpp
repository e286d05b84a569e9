#include "engine/step/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/zeros.h>

namespace scalemark::training {
namespace {

// torch.amp.GradScaler's defaults.
constexpr double kInitialScale = 65536;
constexpr double kGrowthFactor = 2;
constexpr double kBackoffFactor = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

void allow_tf32(bool allow) {
  at::globalContext().setAllowTF32CuBLAS(allow);
  at::globalContext().setAllowTF32CuDNN(allow);
}

}  // namespace

GradientScaler::GradientScaler(c10::Device device)
    : scale_(at::full({1}, kInitialScale, at::TensorOptions().dtype(at::kFloat).device(device))),
      growth_tracker_(at::zeros({1}, at::TensorOptions().dtype(at::kInt).device(device))),
      found_inf_(at::zeros({1}, at::TensorOptions().dtype(at::kFloat).device(device))) {}

at::Tensor GradientScaler::scale(const at::Tensor& loss) const { return loss * scale_[0]; }

void GradientScaler::unscale(const std::vector<at::Tensor>& gradients) {
  found_inf_.zero_();
  inverse_scale_ = at::reciprocal(scale_);
  if (gradients.empty()) return;
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse_scale_);
}

void GradientScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowthFactor, kBackoffFactor,
                         kGrowthInterval);
}

void GradientScaler::visit_state(StateVisitor& visitor) {
  visitor.visit("scaler.scale", scale_);
  visitor.visit("scaler.growth_tracker", growth_tracker_);
}

PrecisionPolicy::PrecisionPolicy(Precision precision, c10::Device device) : device_(device) {
  if (precision == Precision::kAmpFp16) autocast_dtype_ = at::kHalf;
  if (precision == Precision::kAmpBf16) autocast_dtype_ = at::kBFloat16;
  if (device.is_cuda()) allow_tf32(precision == Precision::kTf32);
}

AutocastScope::AutocastScope(const PrecisionPolicy& policy) : device_type_(policy.device_type()) {
  if (!policy.autocast_dtype()) return;
  active_ = true;
  was_enabled_ = at::autocast::is_autocast_enabled(device_type_);
  previous_dtype_ = at::autocast::get_autocast_dtype(device_type_);
  at::autocast::set_autocast_enabled(device_type_, true);
  at::autocast::set_autocast_dtype(device_type_, *policy.autocast_dtype());
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  // The cache holds the cast weights of this forward pass; the next step has other weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(device_type_, previous_dtype_);
  at::autocast::set_autocast_enabled(device_type_, was_enabled_);
}

}  // namespace scalemark::training
