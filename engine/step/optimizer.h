// Turns gradients into a parameter update. Knows the recipe and the parameters; nothing of ranks,
// batches, precision policies or the clock. Nothing in step() waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "engine/step/parameters.h"
#include "workloads/layers/weight_copies.h"

namespace scalemark::training {

// Holds a number, or a scalar on the parameters' device: a step that is captured once and replayed
// reads the rate from there. Where there is a tensor, the number is not used.
struct LearningRate {
  LearningRate(double rate) : value(rate) {}  // NOLINT: a number is a learning rate
  explicit LearningRate(at::Tensor rate) : tensor(std::move(rate)) {}

  double value = 0;
  at::Tensor tensor;
};

// These scalars on the parameters' device change all gradients on their way into an update.
struct GradientTerms {
  // Other than 0 turns the whole update, state included, into nothing: the gradient scaler's
  // skipped step. Float32; undefined: finite.
  at::Tensor found_inf;
  // The gradients are divided by it; whether they are so afterwards is left open. Of the type of
  // norm_of(); undefined: 1.
  at::Tensor divisor;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update at `rate`. Parameters without a gradient are left alone, as in PyTorch.
  virtual void step(const LearningRate& rate, const GradientTerms& terms = {}) = 0;

  virtual void visit_state(StateVisitor& visitor) = 0;

  // Whether step() takes gradients that use()'s copies have kept, in their type.
  virtual bool takes_kept_gradients() const { return false; }

  // Which weights have copies: step() may write these as well, and say so in them. Must outlive the
  // optimizer's last step.
  virtual void use(workloads::WeightCopies& /*copies*/) {}
};

// sgd, adam, adamw: ATen's fused kernels. lamb: arXiv:1904.00962, algorithm 2, with bias correction
// and phi = identity. lars: arXiv:1708.03888, algorithm 1, eta 0.001. Trust ratio 1 for zero norms,
// biases and norm weights; `whole_norms` is for those two. Without parameters: one that does
// nothing. Throws configuration() for an unknown name or values that the method does not take
// (Nesterov without momentum).
std::unique_ptr<Optimizer> make_optimizer(std::vector<NamedParameter> parameters,
                                          const settings::RecipeSettings& recipe,
                                          const WholeNorms& whole_norms = {});

// The 2-norm of all gradients together, on the device. Throws bug() without gradients.
at::Tensor norm_of(const std::vector<at::Tensor>& gradients);

// By which gradients are divided so that `norm`, the norm of all, becomes at most `max_norm`: the
// reciprocal of torch.nn.utils.clip_grad_norm_'s factor. No host sync.
at::Tensor clip_divisor(const at::Tensor& norm, double max_norm);

// The gradients that exist, in parameter order. Reuses `into`'s memory.
void collect_gradients(const std::vector<at::Tensor>& parameters, std::vector<at::Tensor>& into);

// kDrop lets the next backward hand over its own tensors (cheapest). kInPlace keeps them, which ddp
// with gradient_as_bucket_view needs; other strategies put their views in again.
enum class ZeroGradients { kDrop, kInPlace };
void zero_gradients(const std::vector<at::Tensor>& parameters, ZeroGradients how);

}  // namespace scalemark::training
