// LAMB's update of many tensors in two passes: by a device's own kernels, or by vector code on a
// CPU. Private to the optimizer; knows no ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/step/optimizer.h"
#include "engine/step/parameter_group.h"
#include "kernels/optimizer_kernels.h"

namespace scalemark::training {

struct LambRule {
  double beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};

// The passes of a device's own kernels, as operators of torch's dispatcher: a plugin that has
// kernels for a device registers them (engine/cuda/lamb/). Nothing here waits for the device. The
// CPU's passes are no operators.
class LambOperators {
 public:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;  // indices into ParameterLists::state

  // Whether there are kernels for these lists: dense float tensors on one such device, with
  // gradients and states laid out like the parameters. (The kernels' tests also compute in double,
  // on a CPU.)
  static bool serve(const ParameterLists& lists);

  // Returns what the passes of one step need besides tensors, in the device's memory: the divisor,
  // the corrections after `steps` steps, the rate, and whether the step is skipped. Only these
  // operators read it.
  static at::Tensor numbers(const at::Tensor& steps, const GradientTerms& terms,
                            const LearningRate& rate, const LambRule& rule);

  // `lists` and `numbers` must outlive the operators.
  LambOperators(const ParameterLists& lists, const at::Tensor& numbers, const LambRule& rule)
      : lists_(lists), numbers_(numbers), rule_(rule) {}

  // Updates the moments. Returns [2, tensors] in double: the 2-norms of the parameters and of their
  // directions, with the same bits in each run; undefined unless asked for.
  at::Tensor update_moments(bool with_norms) const;

  // Subtracts from each parameter its direction times the rate and its trust ratio; `norms`
  // undefined: without trust ratios. Copies of parameters in half precision are written as well.
  void apply(const at::Tensor& norms) const;

 private:
  const ParameterLists& lists_;
  const at::Tensor& numbers_;
  LambRule rule_;
};

// The passes of vector code on a CPU (kernels/optimizer_kernels.h).
class LambPasses {
 public:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;  // indices into ParameterLists::state

  // Whether these are dense tensors on a CPU, in float or double, with gradients and states laid
  // out like the parameters.
  static bool serve(const ParameterLists& lists);

  // Throws nothing; `lists` must outlive the passes.
  LambPasses(const ParameterLists& lists, const kernels::LambNumbers& numbers);

  // Updates the moments. Returns [2, tensors] in double: the 2-norms of the parameters and of their
  // directions, the same at any number of threads.
  at::Tensor update_moments() const;

  // Subtracts from parameter i its direction times rates[i]; `rates` are in double.
  void apply(const at::Tensor& rates) const;

 private:
  template <class C>
  kernels::LambTensor<C> pointers(std::size_t tensor) const;
  template <class Body>
  void for_typed_chunks(const Body& body) const;

  const ParameterLists& lists_;
  kernels::LambNumbers numbers_;
  std::vector<TensorChunk> chunks_;
};

}  // namespace scalemark::training
