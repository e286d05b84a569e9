// SGD, Adam and AdamW of a dense tensor in float whose copy in bfloat16 computes: one pass reads
// the gradient in either format, updates, and writes the copy. For each instruction set. Formulas:
// torch.optim's. Knows no tensor of torch, no layer and no thread.
#pragma once

#include <cstdint>

#include "kernels/bfloat16.h"
#include "kernels/instruction_set.h"

namespace scalemark::kernels {

struct WeightTensor {
  const float* gradient = nullptr;             // this one,
  const BFloat16* rounded_gradient = nullptr;  // or this one
  float* parameter = nullptr;
  float* mean = nullptr;         // SGD: momentum; null: without
  float* mean_square = nullptr;  // Adam and AdamW
  BFloat16* copy = nullptr;      // of the updated parameter, rounded to the nearest; null: none
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

// Of the elements [begin, end).
struct WeightUpdateKernels {
  void (*sgd)(const WeightTensor&, const SgdNumbers&, std::int64_t begin, std::int64_t end);
  void (*adam)(const WeightTensor&, const AdamNumbers&, std::int64_t begin, std::int64_t end);
};

// Of a set that runs() here.
const WeightUpdateKernels& weight_update_kernels(InstructionSet set);

}  // namespace scalemark::kernels
