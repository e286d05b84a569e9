// LAMB's update on a CPU in two passes of vector code (kernels/lamb.h). Private to the optimizer;
// knows no ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/training/parameter_group.h"
#include "engine/training/tensor_chunks.h"
#include "kernels/lamb.h"

namespace scalemark::training {

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
