// The losses of the latest steps, on their device. Nothing of it is counted on the host: a step
// that is captured once and replayed can write its loss here.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace scalemark::training {

class LossHistory {
 public:
  static constexpr std::int64_t kSteps = 1024;

  explicit LossHistory(c10::Device device);

  // A scalar. Enqueues only: two small operations.
  void write(const at::Tensor& loss);

  // Views, float32, of what the next write changes: the latest `steps` (at most kSteps) in order;
  // the latest one, a scalar.
  at::Tensor latest(std::int64_t steps) const;
  const at::Tensor& last() const { return last_; }

 private:
  at::Tensor values_, last_;
};

}  // namespace scalemark::training
