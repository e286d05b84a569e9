// The three sizes of a step and how they depend on each other. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalemark::settings {

// global_batch_size = batch_size x gradient_accumulation_steps x world_size
struct BatchSizes {
  std::int64_t batch_size = 0;
  std::int64_t gradient_accumulation_steps = 0;
  std::int64_t global_batch_size = 0;
};

// The user asked for these; absent means "follows from the others".
struct BatchRequest {
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t> gradient_accumulation_steps;
  std::optional<std::int64_t> global_batch_size;
};

struct BatchAnswer {
  BatchSizes sizes;
  std::string problem;  // empty: the sizes are valid
};

// Without a global batch size, batch_size and gradient_accumulation_steps default to
// `default_batch_size` and 1. With one, the batch size follows from it, or, when that is given, the
// accumulation. What does not divide without remainder, contradicts, or overflows is a problem.
BatchAnswer resolve_batch(const BatchRequest& request, int world_size,
                          std::int64_t default_batch_size);

}  // namespace scalemark::settings
