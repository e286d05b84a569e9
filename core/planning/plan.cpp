#include "core/planning/plan.h"

#include "core/base/error.h"

namespace scalemark::planning {

settings::Settings with_batch_size(settings::Settings settings, std::int64_t batch_size,
                                   int world_size) {
  auto& size = settings.size;
  const std::int64_t accumulation = std::max<std::int64_t>(1, size.gradient_accumulation_steps);
  std::int64_t global = 0;
  if (batch_size < 1 || __builtin_mul_overflow(batch_size, accumulation, &global) ||
      __builtin_mul_overflow(global, world_size, &global)) {
    throw bug("no batch size: " + std::to_string(batch_size));
  }
  if (settings.recipe.lr_scaling == settings::LrScaling::kLinear && size.global_batch_size > 0) {
    settings.recipe.learning_rate *=
        static_cast<double>(global) / static_cast<double>(size.global_batch_size);
  }
  size = {batch_size, accumulation, global};
  return settings;
}

}  // namespace scalemark::planning
