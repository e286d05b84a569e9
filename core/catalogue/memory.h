// How much memory a training run needs, before it runs. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {

struct MemoryQuestion {
  ModelShape shape;  // resolved
  std::int64_t batch_size = 1;
  std::string optimizer;  // as Recipe::optimizer
  double momentum = 0;
  int activation_element_bytes = 4;  // 2 under autocast
  bool reducer_buckets = false;      // ddp without gradient_as_bucket_view: gradients stand twice
};

// Bytes of one rank: parameters, gradients, optimizer state and communication buckets in float32,
// and what forward keeps for backward. Not in it: the libraries themselves, workspaces, the input
// queue.
std::uint64_t estimated_memory_bytes(const Workload& workload, const MemoryQuestion& question);

// The largest batch_size whose estimate stays within `available_bytes`; 0 when not even one sample
// does.
std::int64_t largest_batch_that_fits(const Workload& workload, MemoryQuestion question,
                                     std::uint64_t available_bytes);

}  // namespace scalemark::catalogue
