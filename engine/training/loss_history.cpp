#include "engine/training/loss_history.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"

namespace scalemark::training {

LossHistory::LossHistory(c10::Device device)
    : values_(at::zeros({kSteps}, at::TensorOptions().dtype(at::kFloat).device(device))),
      last_(values_[kSteps - 1]) {}

// All move up by one place, 4 KB: a place that wanders would have to be counted by the device.
void LossHistory::write(const at::Tensor& loss) {
  values_.copy_(at::cat({values_.slice(0, 1), loss.detach().to(at::kFloat).view({1})}));
}

at::Tensor LossHistory::latest(std::int64_t steps) const {
  if (steps > kSteps) throw bug("more losses are asked for than are kept");
  return values_.slice(0, kSteps - steps);
}

}  // namespace scalemark::training
