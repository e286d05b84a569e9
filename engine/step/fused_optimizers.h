// SGD, Adam and AdamW in one pass over everything: ATen's fused kernels and, on a CPU, our own
// vector code for weights that have copies in bfloat16. Private to the optimizers; knows no ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/step/parameter_group.h"
#include "kernels/optimizer_kernels.h"

namespace scalemark::training {

// SGD's and Adam's update on a CPU for weights that have copies (kernels/optimizer_kernels.h,
// workloads/layers/weight_copies.h).
class WeightPasses {
 public:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;  // indices into ParameterLists::state

  // Whether some parameter has a copy, and all parameters are dense float tensors on a CPU, with
  // copies and states, and with gradients in float or bfloat16, all in the same layout.
  static bool serve(const ParameterLists& lists);

  // `lists` must outlive the passes.
  explicit WeightPasses(const ParameterLists& lists);

  // One pass over everything, after which the copies are current. The result is the same at any
  // number of threads.
  void sgd(const kernels::SgdNumbers& numbers) const;
  void adam(const std::function<kernels::AdamNumbers(std::size_t tensor)>& numbers) const;

 private:
  kernels::WeightTensor pointers(std::size_t tensor) const;
  void note_copies() const;

  const ParameterLists& lists_;
  std::vector<TensorChunk> chunks_;
};

}  // namespace scalemark::training
