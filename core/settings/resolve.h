// From raw values to typed settings: defaults and the workload's recipe are filled in, "auto" and
// the sizes of a step are decided, everything is checked. Pure: the machine arrives as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// The three sizes of a step depend on each other:
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

struct Resolution : Remarks {
  Settings settings;  // complete only when there is no problem
  RawSettings raw;    // every value in force, as text, with its origin
};

// `given` holds what a person asked for (merge_layers); default < recipe < given. All problems are
// found in one pass; values that depend on a refused one are not checked.
Resolution resolve(const RawSettings& given, const Surroundings& surroundings);

}  // namespace scalemark::settings
