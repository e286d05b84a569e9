// Training a workload exchanges messages of these sizes. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "core/collectives/collective.h"

namespace scalemark::planning {

// In elements: all gradients at once (strategy flat), and the buckets of DistributedDataParallel by
// its limits, 1 MiB of float32 for the first and 25 MiB for the others, the last one being the
// rest. Each size once, ascending. Real buckets end with a whole parameter, and differ by as much.
// Empty for a workload that does not exist.
std::vector<collectives::MessageSize> gradient_sizes(std::string_view workload);

}  // namespace scalemark::planning
