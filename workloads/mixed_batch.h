// Batches whose images are mixed in pairs (--mixup, --cutmix): their pixels, and a loss that knows
// both labels. Knows no ranks and no random numbers: data/augment/mixing.h says what travels with a
// batch.
#pragma once

#include <ATen/core/Tensor.h>

#include "data/batch.h"

namespace scalemark::workloads {

bool is_mixed(const data::Batch& batch);

// `own`, `other`: [n, c, h, w], `mixing`: f32 [n, kMixingColumns], on one device. In float at
// least: nothing is rounded to bytes. Enqueues only, and the same operators whatever the batch
// holds.
at::Tensor mixed_images(const at::Tensor& own, const at::Tensor& other, const at::Tensor& mixing);

// Mean cross-entropy against a share of one label and the rest of another: what PyTorch's
// cross_entropy computes for such probabilities, smoothed as it smooths them. logits [n, classes],
// labels i64 [n], `share` f32 [n].
at::Tensor mixed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                               const at::Tensor& other_labels, const at::Tensor& share,
                               double label_smoothing);

}  // namespace scalemark::workloads
