// LAMB and LARS share this: the length of each layer's update follows the length of its weights.
// Written with foreach kernels; everything that depends on values stays on the device. Private to
// these two.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "engine/training/optimizers.h"
#include "engine/training/parameter_group.h"
#include "engine/training/whole_norms.h"

namespace scalemark::training::layerwise {

using Tensors = std::vector<at::Tensor>;

// Matrices, which have trust ratios, apart from norm weights and biases, which have none.
std::vector<ParameterGroup> groups_by_kind(const Parameters& parameters,
                                           const RecipeSettings& recipe);
inline constexpr std::size_t kMatrices = 0;  // the group of them

// Norms of two lists, as [2, entries], of whole matrices. Collective where ranks hold pieces.
class MatrixNorms {
 public:
  MatrixNorms(WholeNorms whole, const at::Tensor& like);

  at::Tensor of(const Tensors& a, const Tensors& b) const;
  // From those of this rank's pieces.
  at::Tensor from(const at::Tensor& own) const;
  // A rank without a piece of a matrix calls this: the others wait for it.
  void of_nothing() const;

 private:
  WholeNorms whole_;
  at::TensorOptions options_;
};

// `ratio`, and 1 where either norm is zero: a fresh layer must start to move, and a layer without
// gradient has no direction.
at::Tensor trust_ratio(const at::Tensor& weight_norm, const at::Tensor& update_norm,
                       const at::Tensor& ratio);

// 1 where the step counts and 0 where the gradient scaler skips it; undefined: it always counts.
at::Tensor keep_factor(const at::Tensor& found_inf);

// A skipped step must not carry its infinities any further.
void drop_skipped(const Tensors& gradients, const at::Tensor& keep);

// By the terms' divisor, if there is one.
void divide(const Tensors& gradients, const at::Tensor& divisor);

// list *= factor, or nothing in a skipped step.
void decay(const Tensors& list, double factor, const at::Tensor& keep);

void multiply(const Tensors& list, const LearningRate& rate);

}  // namespace scalemark::training::layerwise
