// The updates of optimizers over dense tensors, for each instruction set: LAMB in two passes, and
// SGD, Adam and AdamW in one. Knows no torch tensor, no layer and no thread.
#pragma once

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// --- LAMB (arXiv:1904.00962, algorithm 2, with bias correction) in two passes that read and write
// no more than necessary. In between, the caller turns norms into a rate.

// C is float or double.
template <class C>
struct LambTensor {
  const C* gradient;
  C *parameter, *mean, *mean_square;
};

struct LambNumbers {
  double divisor = 1;  // gradients are divided by it first
  double beta1 = 0, beta2 = 0;
  double correction1 = 1, correction2 = 1;  // 1 - beta1^t, sqrt(1 - beta2^t)
  double eps = 0, weight_decay = 0;
};

struct LambSquares {
  double parameter = 0, direction = 0;
};

// Both functions work on the elements [begin, end). The direction of x is u = m^ / (sqrt(v^) + eps)
// + weight_decay x.
template <class C>
struct LambKernels {
  // Updates m and v; returns the sums of x^2 and u^2, each added up in C, so call it for some
  // thousand elements at a time.
  LambSquares (*moments)(const LambTensor<C>&, const LambNumbers&, std::int64_t begin,
                         std::int64_t end);
  // Computes x -= rate u.
  void (*apply)(const LambTensor<C>&, const LambNumbers&, double rate, std::int64_t begin,
                std::int64_t end);
};

struct OptimizerKernels {
  LambKernels<float> of_float;
  LambKernels<double> of_double;
};

// runs(set) must be true.
const OptimizerKernels& optimizer_kernels(InstructionSet set);

// --- SGD, Adam and AdamW for a float tensor whose bfloat16 copy is used in computations: one pass
// reads the gradient in either format, updates, and writes the copy. The formulas are
// torch.optim's.

struct WeightTensor {
  const float* gradient = nullptr;             // null where rounded_gradient is given
  const BFloat16* rounded_gradient = nullptr;  // null where gradient is given
  float* parameter = nullptr;
  float* mean = nullptr;         // SGD's momentum; null: without momentum
  float* mean_square = nullptr;  // used by Adam and AdamW
  BFloat16* copy = nullptr;      // gets the updated parameter, rounded to nearest; null: none
};

struct SgdNumbers {
  double divisor = 1;  // gradients are divided by it first
  double rate = 0, momentum = 0, weight_decay = 0;
  bool nesterov = false;
};

struct AdamNumbers {
  double divisor = 1;
  double rate = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
  double correction1 = 1, correction2 = 1;  // 1 - beta1^t, sqrt(1 - beta2^t)
  bool decoupled = false;                   // AdamW's decay
};

// Both functions work on the elements [begin, end).
struct WeightUpdateKernels {
  void (*sgd)(const WeightTensor&, const SgdNumbers&, std::int64_t begin, std::int64_t end);
  void (*adam)(const WeightTensor&, const AdamNumbers&, std::int64_t begin, std::int64_t end);
};

// runs(set) must be true.
const WeightUpdateKernels& weight_update_kernels(InstructionSet set);

// The tables of the units for each instruction set.
extern const OptimizerKernels kPortableOptimizerKernels;
extern const OptimizerKernels kOptimizerKernelsOfAvx2;
extern const OptimizerKernels kOptimizerKernelsOfAvx512;

extern const WeightUpdateKernels kPortableWeightUpdateKernels;
extern const WeightUpdateKernels kWeightUpdateKernelsOfAvx2;
extern const WeightUpdateKernels kWeightUpdateKernelsOfAvx512;

}  // namespace scalemark::kernels
