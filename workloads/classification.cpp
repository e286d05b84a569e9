#include "workloads/classification.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/scalar_tensor.h>

#include "workloads/fused_functions.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kIgnoreIndex = -100;  // PyTorch's default; no label has it

}  // namespace

at::Tensor classification_loss(const at::Tensor& logits, const at::Tensor& labels,
                               double label_smoothing) {
  if (label_smoothing == 0 && has_mean_cross_entropy(logits, labels)) {
    return mean_cross_entropy(logits, labels);
  }
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::Mean, kIgnoreIndex,
                                label_smoothing);
}

EvaluationSums classification_sums(const at::Tensor& logits, const at::Tensor& labels,
                                   std::int64_t padding, double label_smoothing) {
  const std::int64_t kept = labels.size(0) - padding;
  const auto kept_logits = logits.narrow(0, 0, kept);
  const auto kept_labels = labels.narrow(0, 0, kept);
  const auto sum = at::cross_entropy_loss(kept_logits, kept_labels, {}, at::Reduction::Sum,
                                          kIgnoreIndex, label_smoothing);
  return {.loss = sum.to(at::kDouble),
          .correct = kept_logits.argmax(1).eq(kept_labels).sum(),
          .items = at::scalar_tensor(kept, labels.options())};
}

at::Tensor in_dtype_of(const at::Tensor& features, const at::Tensor& like) {
  return features.scalar_type() == like.scalar_type() ? features : features.to(like.scalar_type());
}

}  // namespace scalemark::workloads
