// Looks up the workloads of workload_list.inc. Tests replace this file by one with a workload more.

#include <algorithm>
#include <vector>

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {

#define SCALEMARK_WORKLOAD(descriptor, network) Workload descriptor();
#include "core/catalogue/workload_list.inc"
#undef SCALEMARK_WORKLOAD

std::span<const Workload> all_workloads() {
  static const std::vector<Workload> workloads{
#define SCALEMARK_WORKLOAD(descriptor, network) descriptor(),
#include "core/catalogue/workload_list.inc"
#undef SCALEMARK_WORKLOAD
  };
  return workloads;
}

std::vector<std::string_view> workload_names() {
  std::vector<std::string_view> names;
  for (const Workload& workload : all_workloads()) names.push_back(workload.name);
  return names;
}

const Workload* find_workload(std::string_view name) {
  const auto workloads = all_workloads();
  const auto found = std::ranges::find(workloads, name, &Workload::name);
  return found == workloads.end() ? nullptr : &*found;
}

ModelShape resolved_shape(const Workload& workload, ModelShape shape) {
  const ModelShape& own = workload.default_shape;
  if (shape.image_size == 0) shape.image_size = own.image_size;
  if (shape.sequence_length == 0) shape.sequence_length = own.sequence_length;
  if (shape.classes == 0) shape.classes = own.classes;
  if (shape.vocab_size == 0) shape.vocab_size = own.vocab_size;
  return shape;
}

std::int64_t least_batch(const Workload& workload, const ModelShape& shape) {
  return workload.least_norm_values && workload.least_norm_values(shape) < 2 ? 2 : 1;
}

}  // namespace scalemark::catalogue
