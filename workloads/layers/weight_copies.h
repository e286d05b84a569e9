// Weights in the type that autocast would cast them to in every forward, kept from one update to
// the next: whoever updates a weight can write its copy in the same pass, and read the gradient as
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
  at::Tensor copy;      // in its layout, rounded to the nearest
  at::Tensor gradient;  // has the copy's type; only with kKept
  bool is_current = false;
  std::uint32_t version = 0;  // the weight's when the copy was current
};

enum class CopyGradients {
  kOfWeights,  // are cast and added to the weights' own, as under autocast
  kKept,       // stay in WeightCopy::gradient, and the weights get none
};

class WeightCopies {
 public:
  // `type`: float16 or bfloat16.
  WeightCopies(at::ScalarType type, CopyGradients gradients) : type_(type), gradients_(gradients) {}

  // A tensor with the copy's values and the weight's place in the graph, where autocast would cast
  // `weight` to this type; else `weight` itself. Copies are made at their first use, and brought up
  // to date when the weight was changed by an operator of torch, or since it was marked.
  at::Tensor of(const at::Tensor& weight);

  // Its values alone; not defined where of() gives `weight` itself.
  at::Tensor values_of(const at::Tensor& weight);

  // Null for a weight that of() has not seen.
  WeightCopy* find(const at::Tensor& weight);

  // Before weights are changed; who writes a copy himself says so by WeightCopy::is_current.
  void mark_outdated();

  // Casts what is outdated, all together.
  void refresh();

 private:
  std::shared_ptr<WeightCopy> current(const at::Tensor& weight);  // null: has none

  at::ScalarType type_;
  CopyGradients gradients_;
  std::unordered_map<const at::TensorImpl*, std::shared_ptr<WeightCopy>> copies_;
  std::vector<WeightCopy*> in_order_;
};

// weight_copy() on this thread takes them from `copies`, which may be null: from nowhere.
class WeightCopiesScope {
 public:
  explicit WeightCopiesScope(WeightCopies* copies);
  ~WeightCopiesScope();
  WeightCopiesScope(const WeightCopiesScope&) = delete;
  WeightCopiesScope& operator=(const WeightCopiesScope&) = delete;

 private:
  WeightCopies* previous_;
};

// A layer hands this to an operator that autocast casts for: the copy of the scope, if there is
// one; else `weight`, which autocast then casts.
at::Tensor weight_copy(const at::Tensor& weight);

// `weight` in `type` without a place in the graph, for a node that hands the weight's gradient on
// itself: the copy of the scope, if there is one of this type; else cast now.
at::Tensor cast_weight(const at::Tensor& weight, at::ScalarType type);

}  // namespace scalemark::workloads
