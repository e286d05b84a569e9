// Networks that put one label on a sample have this in common: the loss and its evaluation.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/network.h"

namespace scalemark::workloads {

// Mean cross-entropy; logits [n, classes], labels i64 [n].
at::Tensor classification_loss(const at::Tensor& logits, const at::Tensor& labels,
                               double label_smoothing);

// Top-1 over the batch without its last `padding` samples, which repeat others.
EvaluationSums classification_sums(const at::Tensor& logits, const at::Tensor& labels,
                                   std::int64_t padding, double label_smoothing);

// `features` in the dtype of `like`; the same tensor when it has that dtype already.
at::Tensor in_dtype_of(const at::Tensor& features, const at::Tensor& like);

}  // namespace scalemark::workloads
