// The number format in which a step computes: fp32, tf32, or autocast to fp16 or bf16 with, for
// fp16, a gradient scaler. Knows nothing of networks, ranks or optimizers. Nothing here waits for
// the device. core/settings/machine.h decides whether a machine has a format.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/settings/settings.h"
#include "engine/step/parameters.h"

namespace scalemark::training {

using settings::Precision;

// Like torch.amp.GradScaler, but without its host syncs: scale, growth and the skipped step stay on
// the device. The initial scale is 65536, doubled after 2000 good steps, halved after a bad one, as
// in PyTorch.
class GradientScaler {
 public:
  explicit GradientScaler(c10::Device device);

  at::Tensor scale(const at::Tensor& loss) const;

  // Divides the gradients by the scale, and checks whether all are finite.
  void unscale(const std::vector<at::Tensor>& gradients);
  at::Tensor& found_inf() { return found_inf_; }  // 0 or 1, set by the last unscale()

  void update();  // call it after the optimizer step

  void visit_state(StateVisitor& visitor);

 private:
  at::Tensor scale_, growth_tracker_, found_inf_, inverse_scale_;
};

class PrecisionPolicy {
 public:
  // Sets the process's TF32 flags: on for tf32, off otherwise (so fp32 means fp32, convolutions
  // included, unlike PyTorch's default).
  PrecisionPolicy(Precision precision, c10::Device device);

  c10::DeviceType device_type() const { return device_.type(); }
  std::optional<at::ScalarType> autocast_dtype() const { return autocast_dtype_; }
  bool needs_gradient_scaler() const { return autocast_dtype_ == at::kHalf; }

 private:
  c10::Device device_;
  std::optional<at::ScalarType> autocast_dtype_;
};

// Forward passes within this scope run under the policy, on this thread only. Scopes nest.
class AutocastScope {
 public:
  explicit AutocastScope(const PrecisionPolicy& policy);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_type_;
  bool active_ = false;
  bool was_enabled_ = false;
  at::ScalarType previous_dtype_ = at::kFloat;
};

}  // namespace scalemark::training
