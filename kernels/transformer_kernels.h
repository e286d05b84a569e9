// The work of a transformer layer besides its matrix products, row by row in vector code. Each
// instruction set has a table of functions over plain pointers. Knows no tensor and no thread.
//
// All matrices are dense, row after row of `columns` elements. X is the type of activations; C is
// the type of parameters, sums, statistics and all arithmetic: float and float, BFloat16 and float
// (mixed precision), or double and double (for comparisons). Each function does the rows [begin,
// end), and no result depends on how rows are divided.
#pragma once

#include <cstdint>

#include "kernels/dropout.h"
#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// y = norm(sum) gamma + beta with sum = dropout(x + bias) + residual and norm(s) = (s - mean) rstd
// over a row. `sum` may be `x`. Without dropout (threshold 0) `bits` is not used.
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

// The gradients of the inputs. `bits` null: without dropout; then `of_x` may be null, too, since
// for X = C it equals `of_residual`.
template <class X, class C>
struct ResidualNormGradient {
  const C *of_y, *sum, *mean, *rstd, *gamma;
  const std::uint32_t* bits;
  std::int64_t columns;
  double scale;
  X* of_x;
  C* of_residual;
};

// y = (x + bias) P(x + bias), which is GELU with erf; P is the normal distribution's cumulative
// function.
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

// probabilities = softmax(factor scores + added), written over the scores, and kept =
// dropout(probabilities). `added` is one row for all rows, or null. Row i uses row first_mask_row +
// i of the mask, whose bits are in `bits`. `scratch` has the size of a row.
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

// `gradient` is that of `kept` before the call and that of the scores after it. Writes `kept`
// again.
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
  void (*drop)(const Drop<X, C>&, std::int64_t begin, std::int64_t end);  // uses the given bits
};

struct TransformerKernels {
  LayerKernels<float, float> of_float;
  LayerKernels<BFloat16, float> of_bfloat16;
  LayerKernels<double, double> of_double;
};

// runs(set) must be true.
const TransformerKernels& transformer_kernels(InstructionSet set);

// The tables of the units for each instruction set.
extern const TransformerKernels kPortableTransformerKernels;
extern const TransformerKernels kTransformerKernelsOfAvx2;
extern const TransformerKernels kTransformerKernelsOfAvx512;

}  // namespace scalemark::kernels
