// How autograd nodes call the vector code of kernels/transformer_kernels.h: types, pointers,
// threads, sums over rows, and dropout. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>

#include "kernels/dropout.h"
#include "kernels/transformer_kernels.h"

namespace scalemark::workloads {

// --- A node of ours must unpack its saved tensors before it goes below autograd: unpacking may run
// a checkpointed part's forward again (checkpointed.h), which needs autograd.

// The types of activations and of parameters for one call of a kernel.
template <class Activation, class Parameter>
struct Types {
  using X = Activation;
  using C = Parameter;
  static const kernels::LayerKernels<X, C>& kernels() {
    const auto& all = kernels::transformer_kernels(kernels::widest());
    if constexpr (std::is_same_v<X, double>) {
      return all.of_double;
    } else if constexpr (std::is_same_v<X, kernels::BFloat16>) {
      return all.of_bfloat16;
    } else {
      return all.of_float;
    }
  }
};

// Whether there is code for a layer whose input is `x`, a tensor of the parameters' type: on a CPU,
// in float or double, without autocast or with one to bfloat16.
bool has_row_kernels(const at::Tensor& x);

// Calls body(Types<...>{}) for activations of this type.
template <class Body>
void with_types(at::ScalarType activation, const Body& body) {
  switch (activation) {
    case at::kFloat:
      return body(Types<float, float>{});
    case at::kBFloat16:
      return body(Types<kernels::BFloat16, float>{});
    case at::kDouble:
      return body(Types<double, double>{});
    default:
      TORCH_CHECK(false, "row kernels take float, double and bfloat16, not ", activation);
  }
}

// Returns the type of the parameters for activations of this type.
at::ScalarType parameter_type(at::ScalarType activation);

// Returns the memory of a dense tensor, or null for an undefined one.
template <class T>
T* pointer(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
}

// A tensor as a matrix of its last dimension's rows.
struct Matrix {
  explicit Matrix(const at::Tensor& tensor)
      : columns(tensor.size(-1)), rows(columns == 0 ? 0 : tensor.numel() / columns) {}

  std::int64_t columns, rows;
};

// Divides rows among threads.
void for_rows(const Matrix& matrix,
              const std::function<void(std::int64_t begin, std::int64_t end)>& body);

// Computes a sum over rows. body(partial, begin, end) adds its rows' part to `partial`, which has
// `width` elements that start at 0. The chunks of rows do not depend on the number of threads, and
// the partial sums are added in their order, so the result, one tensor [width], does not depend on
// it either.
at::Tensor summed_over_rows(
    const Matrix& matrix, std::int64_t width, const at::TensorOptions& options,
    const std::function<void(void* partial, std::int64_t begin, std::int64_t end)>& body);

// Whether autograd needs a node for an operation on these.
bool any_wants_gradient(std::initializer_list<at::Tensor> inputs);

// --- Dropout with masks from a counter (kernels/dropout.h). They are drawn in vector code, with
// equal results for any number of threads, and take one bit per element.

// Returns the data of one mask. Its key is the next 64 random bits of torch's default generator, so
// seeds, checkpoints and activation checkpointing work as for torch's own dropout. `probability`,
// which is rounded to 2^-16, must be at least 0 and below 1 (else c10::Error). 0 draws nothing.
kernels::Dropout next_dropout(double probability);

// Returns memory for a mask's bits of so many rows; undefined where nothing is dropped.
at::Tensor mask_for(const kernels::Dropout& dropout, std::int64_t rows, std::int64_t columns);

// at::dropout in training: `x` of any shape, float or double on a CPU. Differentiable once. The
// mask's bits are kept for backward: reading them is 1/32 of the gradient's own bytes, while
// drawing them again would take as long as reading the gradient.
at::Tensor fast_dropout(const at::Tensor& x, double probability);

}  // namespace scalemark::workloads
