// These kernels do, row by row in vector code, the work of a transformer layer beside its matrix
// products: for each instruction set there is a table of functions over plain pointers. Knows no
// tensor and no thread.
//
// All matrices are dense, row after row of `columns` elements. X is the type of activations, C that
// of parameters, sums and statistics, in which everything is computed: float and float, BFloat16
// and float (mixed precision), double and double (for comparisons). Each function does the rows
// [begin, end) and none of them depends on how rows are shared out.
#pragma once

#include <cstdint>

#include "kernels/dropout.h"
#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// y = norm(sum) gamma + beta with sum = dropout(x + bias) + residual and norm(s) = (s - mean) rstd
// over a row. `sum` may be `x`. Without dropout (threshold 0) `bits` is not looked at.
template <class X, class C>
struct ResidualNorm {
  const X* x;
  const C *bias, *residual, *gamma, *beta;
  C *sum, *y, *mean, *rstd;
  std::uint32_t* bits;
  std::int64_t columns;
  double eps;
  Dropout dropout;
};

// Gradients of what goes in. `bits` null: without dropout; then `of_x` may be null, too: for X = C
// it equals `of_residual`.
template <class X, class C>
struct ResidualNormGradient {
  const C *of_y, *sum, *mean, *rstd, *gamma;
  const std::uint32_t* bits;
  std::int64_t columns;
  double scale;
  X* of_x;
  C* of_residual;
};

// y = (x + bias) P(x + bias), P the normal distribution's cumulative function: GELU with erf.
template <class X, class C>
struct BiasGelu {
  const X* x;
  const C* bias;
  X* y;
  std::int64_t columns;
};

template <class X, class C>
struct BiasGeluGradient {
  const X *of_y, *x;
  const C* bias;
  X* of_x;
  std::int64_t columns;
};

// probabilities = softmax(factor scores + added), in the place of the scores, and kept =
// dropout(probabilities). `added` is one row for all, or null. Row i uses the mask's row
// first_mask_row + i; `bits` is that row's. `scratch` is a row.
template <class X, class C>
struct SoftmaxDropout {
  X *scores, *kept;
  const C* added;
  C* scratch;
  std::uint32_t* bits;
  std::int64_t first_mask_row, columns;
  double factor;
  Dropout dropout;
};

// `gradient`: of `kept` before, of the scores after. Writes `kept` again.
template <class X, class C>
struct SoftmaxDropoutGradient {
  const X* probabilities;
  X *gradient, *kept;
  const std::uint32_t* bits;
  std::int64_t columns;
  double factor, scale;
};

// y = dropout(x); `y` may be `x`.
template <class X, class C>
struct Drop {
  const X* x;
  X* y;
  std::uint32_t* bits;
  std::int64_t columns;
  Dropout dropout;
};

template <class X, class C>
struct LayerKernels {
  void (*residual_norm)(const ResidualNorm<X, C>&, std::int64_t begin, std::int64_t end);
  // Adds the gradients of bias, gamma and beta to of_parameters [3][columns].
  void (*residual_norm_gradient)(const ResidualNormGradient<X, C>&, C* of_parameters,
                                 std::int64_t begin, std::int64_t end);
  void (*bias_gelu)(const BiasGelu<X, C>&, std::int64_t begin, std::int64_t end);
  // Adds the gradient of bias to of_bias [columns].
  void (*bias_gelu_gradient)(const BiasGeluGradient<X, C>&, C* of_bias, std::int64_t begin,
                             std::int64_t end);
  void (*softmax_dropout)(const SoftmaxDropout<X, C>&, std::int64_t begin, std::int64_t end);
  void (*softmax_dropout_gradient)(const SoftmaxDropoutGradient<X, C>&, std::int64_t begin,
                                   std::int64_t end);
  void (*draw_and_drop)(const Drop<X, C>&, std::int64_t begin, std::int64_t end);
  void (*drop)(const Drop<X, C>&, std::int64_t begin, std::int64_t end);  // by bits that are there
};

struct TransformerKernels {
  LayerKernels<float, float> of_float;
  LayerKernels<BFloat16, float> of_bfloat16;
  LayerKernels<double, double> of_double;
};

// `set` must be one that runs() here.
const TransformerKernels& transformer_kernels(InstructionSet set);

// The tables that the units with instructions of their own define.
extern const TransformerKernels kPortableTransformerKernels;
extern const TransformerKernels kTransformerKernelsOfAvx2;
extern const TransformerKernels kTransformerKernelsOfAvx512;

}  // namespace scalemark::kernels
