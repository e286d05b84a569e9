// Weights in the type to which autocast would cast them in every forward, kept from one update to
// the next: the optimizer can write a weight's copy in the same pass, and read the gradient as
// backward computed it. Knows no network, no optimizer and no rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace scalemark::workloads {

struct WeightCopy {
  at::Tensor weight;    // a parameter in float
  at::Tensor copy;      // has the weight's layout; rounded to nearest
  at::Tensor gradient;  // has the copy's type; with kKept only
  bool is_current = false;
  std::uint32_t version = 0;  // the weight's version when the copy was current
};

enum class CopyGradients {
  kOfWeights,  // cast and added to the weights' own, as under autocast
  kKept,       // kept in WeightCopy::gradient, while the weights get none
};

class WeightCopies {
 public:
  // `type` is float16 or bfloat16.
  WeightCopies(at::ScalarType type, CopyGradients gradients) : type_(type), gradients_(gradients) {}

  // Returns a tensor with the copy's values and the weight's place in the graph where autocast
  // would cast `weight` to this type; else `weight` itself. Copies are made at their first use, and
  // updated when an operator of torch has changed the weight or the copy was marked as outdated.
  at::Tensor of(const at::Tensor& weight);

  // Returns its values alone; undefined where of() returns `weight` itself.
  at::Tensor values_of(const at::Tensor& weight);

  // Returns null for a weight that of() has not seen.
  WeightCopy* find(const at::Tensor& weight);

  // Call it before weights are changed. Whoever writes a copy as well sets WeightCopy::is_current.
  void mark_outdated();

  // Casts all outdated copies together.
  void refresh();

 private:
  std::shared_ptr<WeightCopy> current(const at::Tensor& weight);  // null: the weight has none

  at::ScalarType type_;
  CopyGradients gradients_;
  std::unordered_map<const at::TensorImpl*, std::shared_ptr<WeightCopy>> copies_;
  std::vector<WeightCopy*> in_order_;
};

// While it lives, weight_copy() on this thread uses `copies`; null: none.
class WeightCopiesScope {
 public:
  explicit WeightCopiesScope(WeightCopies* copies);
  ~WeightCopiesScope();
  WeightCopiesScope(const WeightCopiesScope&) = delete;
  WeightCopiesScope& operator=(const WeightCopiesScope&) = delete;

 private:
  WeightCopies* previous_;
};

// Returns what a layer passes to an operator with autocast: the copy of the scope, if there is one;
// else `weight`, which autocast then casts.
at::Tensor weight_copy(const at::Tensor& weight);

// Returns `weight` in `type` without a place in the graph, for a node that computes the weight's
// gradient itself: the copy of the scope, if there is one of this type; else it is cast now.
at::Tensor cast_weight(const at::Tensor& weight, at::ScalarType type);

}  // namespace scalemark::workloads
