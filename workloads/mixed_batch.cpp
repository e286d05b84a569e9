#include "workloads/mixed_batch.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/log_softmax.h>

#include "data/augment/mixing.h"

namespace scalemark::workloads {
namespace {

// 1 within each row's rectangle, else 0: [n, 1, h, w].
at::Tensor rectangles(const at::Tensor& mixing, std::int64_t height, std::int64_t width) {
  const auto edge = [&](data::MixingColumn column) {
    return mixing.select(1, column).view({-1, 1, 1, 1});
  };
  const auto y = at::arange(height, mixing.options()).view({1, 1, height, 1});
  const auto x = at::arange(width, mixing.options()).view({1, 1, 1, width});
  const auto in_rows = y.ge(edge(data::kTop)).logical_and(y.lt(edge(data::kBottom)));
  const auto in_columns = x.ge(edge(data::kLeft)).logical_and(x.lt(edge(data::kRight)));
  return in_rows.logical_and(in_columns).to(mixing.scalar_type());
}

}  // namespace

bool is_mixed(const data::Batch& batch) { return batch.tensors.contains("mixing"); }

// A share of 1 or 0 takes a pixel over as it is.
at::Tensor mixed_images(const at::Tensor& own, const at::Tensor& other, const at::Tensor& mixing) {
  const at::Tensor outside = 1 - rectangles(mixing, own.size(2), own.size(3));
  const at::Tensor share = outside * mixing.select(1, data::kPixelShare).view({-1, 1, 1, 1});
  return (own * share + other * (1 - share)).to(own.scalar_type());
}

at::Tensor mixed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                               const at::Tensor& other_labels, const at::Tensor& share,
                               double label_smoothing) {
  const auto type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor log_probability = at::log_softmax(logits, 1, type);
  const auto of = [&](const at::Tensor& label) {
    return log_probability.gather(1, label.unsqueeze(1)).squeeze(1);
  };
  at::Tensor loss = -(of(labels) * share + of(other_labels) * (1 - share));
  if (label_smoothing > 0) {
    loss = loss * (1 - label_smoothing) - log_probability.mean(1) * label_smoothing;
  }
  return loss.mean();
}

}  // namespace scalemark::workloads
