#include "apps/scalemark/gpu_view.h"

#include <algorithm>

#include "core/machine/gpus.h"

namespace scalemark::cli {
namespace {

bool all_alike(const std::vector<monitoring::Gpu>& gpus) {
  return std::ranges::all_of(gpus, [&](const monitoring::Gpu& gpu) {
    return gpu.name == gpus.front().name && gpu.compute_major == gpus.front().compute_major &&
           gpu.compute_minor == gpus.front().compute_minor;
  });
}

settings::Gpu view(const monitoring::Gpu& gpu) {
  settings::Gpu seen{.name = gpu.name, .capability = std::nullopt, .pci = gpu.pci};
  if (gpu.compute_major && gpu.compute_minor) {
    seen.capability = {.major = *gpu.compute_major, .minor = *gpu.compute_minor};
  }
  return seen;
}

}  // namespace

std::vector<settings::Gpu> view_gpus(int count, const monitoring::GpuSurvey& survey,
                                     const CudaVariables& variables) {
  std::vector<settings::Gpu> seen(static_cast<std::size_t>(count));
  if (survey.gpus.empty()) return seen;
  const bool in_cuda_order = survey.visible_only || variables.device_order == "PCI_BUS_ID";
  if (!all_alike(survey.gpus) && !in_cuda_order) return seen;
  const auto visible = monitoring::visible_gpus(
      survey.visible_only ? std::nullopt : variables.visible_devices, survey.gpus);
  if (visible.size() != seen.size()) return seen;
  std::ranges::transform(visible, seen.begin(), [&](int index) {
    return view(survey.gpus[static_cast<std::size_t>(index)]);
  });
  return seen;
}

}  // namespace scalemark::cli
