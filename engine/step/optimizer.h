// Turns gradients into a parameter update. Knows the recipe and the parameters, but nothing of
// ranks, batches, precision policies or the clock. Nothing in step() waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "engine/step/parameters.h"
#include "workloads/layers/weight_copies.h"

namespace scalemark::training {

// Holds a number, or a scalar on the parameters' device, from which a step that is captured once
// and replayed reads the rate. Where there is a tensor, the number is not used.
struct LearningRate {
  LearningRate(double rate) : value(rate) {}  // NOLINT: a number is a learning rate
  explicit LearningRate(at::Tensor rate) : tensor(std::move(rate)) {}

  double value = 0;
  at::Tensor tensor;
};

// Scalars on the parameters' device that change all gradients in an update.
struct GradientTerms {
  // A value other than 0 cancels the whole update, state included, which is the gradient scaler's
  // skipped step. Float32; undefined: the gradients are finite.
  at::Tensor found_inf;
  // The gradients are divided by it; they themselves may stay undivided. It has the type of
  // norm_of(); undefined: 1.
  at::Tensor divisor;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Makes one update at `rate`. Parameters without a gradient stay unchanged, as in PyTorch.
  virtual void step(const LearningRate& rate, const GradientTerms& terms = {}) = 0;

  virtual void visit_state(StateVisitor& visitor) = 0;

  // Whether step() takes gradients that the copies of use() have kept, in the copies' type.
  virtual bool takes_kept_gradients() const { return false; }

  // Sets the weights' copies: step() may write these as well, and then marks them as current. They
  // must outlive the optimizer's last step.
  virtual void use(workloads::WeightCopies& /*copies*/) {}
};

// sgd, adam, adamw: ATen's fused kernels. lamb: arXiv:1904.00962, algorithm 2, with bias correction
// and phi = identity. lars: arXiv:1708.03888, algorithm 1, eta 0.001. lamb and lars have a trust
// ratio of 1 for zero norms, biases and norm weights; `whole_norms` is for these two. Without
// parameters the optimizer does nothing. Throws configuration() for an unknown name or values that
// the method does not take (Nesterov without momentum).
std::unique_ptr<Optimizer> make_optimizer(std::vector<NamedParameter> parameters,
                                          const settings::RecipeSettings& recipe,
                                          const WholeNorms& whole_norms = {});

// Returns the 2-norm of all gradients together, on the device. Throws bug() without gradients.
at::Tensor norm_of(const std::vector<at::Tensor>& gradients);

// Returns the divisor of gradients that limits `norm`, the norm of all, to `max_norm`: the
// reciprocal of torch.nn.utils.clip_grad_norm_'s factor. No host sync.
at::Tensor clip_divisor(const at::Tensor& norm, double max_norm);

// Collects the existing gradients in parameter order. Reuses `into`'s memory.
void collect_gradients(const std::vector<at::Tensor>& parameters, std::vector<at::Tensor>& into);

// kDrop frees the gradients and lets the next backward bring its own tensors (cheapest). kInPlace
// keeps them, as ddp with gradient_as_bucket_view needs; other strategies restore their views
// themselves.
enum class ZeroGradients { kDrop, kInPlace };
void zero_gradients(const std::vector<at::Tensor>& parameters, ZeroGradients how);

}  // namespace scalemark::training
