#include "core/plan/quick_network.h"

#include <algorithm>
#include <string>

#include "core/base/words.h"
#include "core/catalogue/memory.h"
#include "core/catalogue/workload.h"

namespace scalemark::planning {
namespace {

std::int64_t batch_that_fits(const catalogue::Workload& workload, bool half,
                             std::optional<std::uint64_t> memory_bytes) {
  constexpr double kRoom = 1.25;  // the estimate may be 20 % off
  const catalogue::ModelShape shape = catalogue::resolved_shape(workload, workload.default_shape);
  std::int64_t batch = workload.recipe.reference_batch;
  const auto needed = [&] {
    return kRoom * static_cast<double>(catalogue::estimated_memory_bytes(
                       workload, {.shape = shape,
                                  .batch_size = batch,
                                  .optimizer = workload.recipe.optimizer,
                                  .momentum = workload.recipe.momentum,
                                  .activation_element_bytes = half ? 2 : 4,
                                  .strategy = "ddp",
                                  .world_size = 2}));
  };
  while (memory_bytes && batch > 1 && needed() > static_cast<double>(*memory_bytes)) batch /= 2;
  return batch;
}

}  // namespace

std::vector<settings::Axis> axes_of_quick(const settings::Machine& machine, bool on_gpus,
                                          std::optional<std::uint64_t> memory_bytes,
                                          const std::vector<settings::Axis>& given) {
  using settings::Precision;
  const catalogue::Workload& workload = *catalogue::find_workload("resnet50");
  const auto is_given = [&](std::string_view option) {
    return std::ranges::find(given, option, &settings::Axis::option) != given.end();
  };
  std::vector<settings::Axis> axes;
  const auto add = [&](const char* option, const std::string& value) {
    if (!is_given(option)) axes.push_back({option, {value}, kOfQuick});
  };
  add("workload", workload.name);
  const bool has_size = is_given("batch_size") || is_given("global_batch_size");
  if (!on_gpus) {
    add("image_size", "64");
    if (!has_size) add("batch_size", "8");
    if (!is_given("learning_rate")) add("lr_scaling", "linear");  // the recipe's is of 256 samples
    return axes;
  }
  const settings::PrecisionDevice device{settings::DeviceKind::kCuda, "",
                                         machine.gpus.front().capability};
  const bool has_bf16 = !why_unsupported(Precision::kAmpBf16, device);
  add("precision", std::string(name_of(has_bf16 ? Precision::kAmpBf16 : Precision::kFp32)));
  if (!has_size)
    add("batch_size", std::to_string(batch_that_fits(workload, has_bf16, memory_bytes)));
  return axes;
}

}  // namespace scalemark::planning
