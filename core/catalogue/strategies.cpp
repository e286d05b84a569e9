// The descriptors of strategy_list.inc.
#include "core/catalogue/strategy.h"

namespace scalemark::catalogue {
namespace {

constexpr double kFloatBytes = 4;

double nothing(const ExchangeQuestion&) { return 0; }

double one_gradient_copy(const ExchangeQuestion& question) {
  return question.world_size == 1 ? 0 : kFloatBytes * question.parameters;
}

double reducer_buckets(const ExchangeQuestion& question) {
  return question.gradient_as_bucket_view ? 0 : kFloatBytes * question.parameters;
}

}  // namespace

Strategy strategy_none() {
  return {.name = "none",
          .summary = "ranks exchange nothing",
          .takes_missing_gradients = true,
          .payload_bytes = nothing,
          .extra_memory_bytes = nothing};
}

Strategy strategy_ddp() {
  return {.name = "ddp",
          .summary = "gradients are averaged",
          .exchanges = true,
          .options = {"overlap", "gradient_compression", "bucket_cap_mb", "first_bucket_cap_mb",
                      "broadcast_buffers", "find_unused_parameters", "static_graph",
                      "gradient_as_bucket_view", "communication_cost"},
          .payload_bytes = one_gradient_copy,
          .extra_memory_bytes = reducer_buckets};
}

// The buffers are the gradients themselves.
Strategy strategy_flat() {
  return {.name = "flat",
          .summary = "gradients are averaged in a few flat buffers, without copies back",
          .exchanges = true,
          .options = {"overlap", "gradient_compression", "bucket_cap_mb", "first_bucket_cap_mb",
                      "communication_cost"},
          .payload_bytes = one_gradient_copy,
          .extra_memory_bytes = nothing};
}

}  // namespace scalemark::catalogue
