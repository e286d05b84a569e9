// The batches of several replicas as one: each replica's rows one after the other in every field.
// Knows no ranks, devices or networks.
#pragma once

#include <cstddef>
#include <vector>

#include "data/batch.h"

namespace scalemark::training {

// `parts` on the host, with the same fields; `pinned`: in pinned memory. One part stays as it is.
// Its wait is that of all parts.
data::Batch join(std::vector<data::Batch> parts, bool pinned);

// Share `i` of a joined batch as a batch of its own, whose tensors are views of the whole.
data::Batch share_of(const data::Batch& whole, std::size_t i);

}  // namespace scalemark::training
