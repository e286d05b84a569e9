// LAMB (arXiv:1904.00962, algorithm 2, with bias correction) of a dense tensor in two passes that
// read and write what they must, for each instruction set. Between them the caller turns norms into
// a rate. Knows no tensor of torch, no layer and no thread.
#pragma once

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// C: float or double.
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

// Of the elements [begin, end). The direction of x is u = m^ / (sqrt(v^) + eps) + weight_decay x.
template <class C>
struct LambKernels {
  // Moves m and v; returns the sums of x^2 and u^2, each added up in C: call it for some thousand
  // elements.
  LambSquares (*moments)(const LambTensor<C>&, const LambNumbers&, std::int64_t begin,
                         std::int64_t end);
  // x -= rate u.
  void (*apply)(const LambTensor<C>&, const LambNumbers&, double rate, std::int64_t begin,
                std::int64_t end);
};

struct OptimizerKernels {
  LambKernels<float> of_float;
  LambKernels<double> of_double;
};

// Of a set that runs() here.
const OptimizerKernels& optimizer_kernels(InstructionSet set);

}  // namespace scalemark::kernels
