// LAMB's update of many tensors in two passes: of a device's own kernels, or on a CPU of vector
// code. Private to the optimizer; knows no ranks.
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
// kernels for a device registers them (engine/cuda/lamb/). Nothing here waits for the device. A
// CPU's passes are not behind operators.
class LambOperators {
 public:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;  // states of the lists

  // Whether there are kernels for these: dense tensors in float on one such device (in double only
  // the kernels' tests compute, on a CPU), with gradients and states laid out as the parameters
  // are.
  static bool serve(const ParameterLists& lists);

  // The passes of one step need this beside tensors, in the memory of the device: the divisor, the
  // corrections after `steps` steps, the rate, and whether the step is skipped. Only these
  // operators use it.
  static at::Tensor numbers(const at::Tensor& steps, const GradientTerms& terms,
                            const LearningRate& rate, const LambRule& rule);

  // `lists` and `numbers` must outlive them.
  LambOperators(const ParameterLists& lists, const at::Tensor& numbers, const LambRule& rule)
      : lists_(lists), numbers_(numbers), rule_(rule) {}

  // Moves the moments. [2, tensors], in double: 2-norms of the parameters and of their directions;
  // not defined unless asked for. The same bits in each run.
  at::Tensor update_moments(bool with_norms) const;

  // Takes each parameter back by the rate, its trust ratio and its direction; `norms` not defined:
  // without trust ratios. Copies of parameters in half precision are written as well.
  void apply(const at::Tensor& norms) const;

 private:
  const ParameterLists& lists_;
  const at::Tensor& numbers_;
  LambRule rule_;
};

// The passes of vector code on a CPU (kernels/optimizer_kernels.h).
class LambPasses {
 public:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;  // states of the lists

  // Whether these are dense tensors of a CPU, in float or double, with gradients and states laid
  // out as the parameters are.
  static bool serve(const ParameterLists& lists);

  // Throws nothing; `lists` must outlive the passes.
  LambPasses(const ParameterLists& lists, const kernels::LambNumbers& numbers);

  // Moves the moments. [2, tensors], in double: 2-norms of the parameters and of their directions.
  // The same at any number of threads.
  at::Tensor update_moments() const;

  // Takes parameter i back by rates[i] times its direction; `rates` in double.
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
