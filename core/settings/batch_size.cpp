#include "core/settings/batch_size.h"

namespace scalemark::settings {
namespace {

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

BatchAnswer from_parts(std::int64_t batch, std::int64_t accumulation, int world_size) {
  const auto per_rank = product(batch, accumulation);
  const auto global = per_rank ? product(*per_rank, world_size) : std::nullopt;
  if (!global) {
    return {{}, "batch size x accumulation x ranks must fit into 63 bits"};
  }
  return {{batch, accumulation, *global}, {}};
}

// `global` spread over `factor` (in words: `what`) without remainder, or the problem.
std::string does_not_divide(std::int64_t global, std::int64_t factor, const std::string& what) {
  if (global % factor == 0) return {};
  const std::int64_t below = global / factor * factor;
  const std::string nearest = below > 0
                                  ? std::to_string(below) + " or " + std::to_string(below + factor)
                                  : std::to_string(factor);
  return "a multiple of " + std::to_string(factor) + " (" + what + "), like " + nearest;
}

}  // namespace

BatchAnswer resolve_batch(const BatchRequest& request, int world_size,
                          std::int64_t default_batch_size) {
  const std::string ranks = std::to_string(world_size) + (world_size == 1 ? " rank" : " ranks");
  if (!request.global_batch_size) {
    return from_parts(request.batch_size.value_or(default_batch_size),
                      request.gradient_accumulation_steps.value_or(1), world_size);
  }
  const std::int64_t global = *request.global_batch_size;
  const bool follows_accumulation = request.batch_size && !request.gradient_accumulation_steps;
  const std::int64_t known =
      follows_accumulation ? *request.batch_size : request.gradient_accumulation_steps.value_or(1);
  const auto factor = product(known, world_size);
  if (!factor) return {{}, "batch size x accumulation x ranks must fit into 63 bits"};
  const std::string what = (follows_accumulation ? "batch size " : "accumulation ") +
                           std::to_string(known) + " x " + ranks;
  std::string problem = does_not_divide(global, *factor, what);
  if (!problem.empty()) return {{}, std::move(problem)};

  const std::int64_t other = global / *factor;
  const BatchSizes sizes =
      follows_accumulation ? BatchSizes{known, other, global} : BatchSizes{other, known, global};
  if (request.batch_size && *request.batch_size != sizes.batch_size) {
    return {{},
            "must be batch size " + std::to_string(*request.batch_size) + " x accumulation " +
                std::to_string(known) + " x " + ranks + "; leave one of the three out"};
  }
  return {sizes, {}};
}

}  // namespace scalemark::settings
