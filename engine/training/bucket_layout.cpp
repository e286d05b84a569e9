#include "engine/training/bucket_layout.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/base/error.h"

namespace scalemark::training {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: a cache line, and more than vector loads ask for

std::int64_t rounded_up(std::int64_t elements, std::int64_t step) {
  return (elements + step - 1) / step * step;
}

BucketLayout layout_of(const std::vector<NamedParameter>& parameters,
                       const std::vector<std::size_t>& members, std::int64_t parts) {
  const auto element_bytes =
      static_cast<std::int64_t>(parameters[members.front()].tensor.element_size());
  const std::int64_t line = kAlignment / element_bytes;
  BucketLayout layout;
  for (const std::size_t i : members) {
    layout.places.push_back({i, layout.elements});
    layout.elements += rounded_up(parameters[i].tensor.numel(), line);
  }
  layout.elements = rounded_up(layout.elements, line * parts);
  return layout;
}

}  // namespace

std::int64_t bytes_of_mb(double mb, const char* option) {
  const double bytes = std::floor(mb * 1024 * 1024);
  if (!(bytes >= 1) || bytes > 9e18) {
    throw configuration(std::string(option) + " is " + std::to_string(mb),
                        "a size in MiB of at least one byte");
  }
  return static_cast<std::int64_t>(bytes);
}

std::vector<BucketLayout> bucket_layouts(const std::vector<NamedParameter>& parameters,
                                         const settings::ParallelSettings& settings,
                                         std::int64_t parts) {
  const std::vector<std::size_t> limits = {
      static_cast<std::size_t>(bytes_of_mb(settings.first_bucket_cap_mb, "first_bucket_cap_mb")),
      static_cast<std::size_t>(bytes_of_mb(settings.bucket_cap_mb, "bucket_cap_mb"))};
  const std::size_t last = parameters.size() - 1;
  std::vector<at::Tensor> reversed;
  for (std::size_t i = 0; i <= last; ++i) reversed.push_back(parameters[last - i].tensor);
  auto assignment = std::get<0>(c10d::compute_bucket_assignment_by_size(reversed, limits));
  std::vector<BucketLayout> layouts;
  for (auto& members : assignment) {
    for (std::size_t& member : members) member = last - member;
    layouts.push_back(layout_of(parameters, members, parts));
  }
  return layouts;
}

std::vector<at::Tensor> zero_buffers(const std::vector<NamedParameter>& parameters,
                                     const std::vector<BucketLayout>& layouts) {
  std::vector<at::Tensor> buffers;
  for (const BucketLayout& layout : layouts) {
    const at::Tensor& first = parameters[layout.places.front().parameter].tensor;
    buffers.push_back(at::zeros({layout.elements}, first.options().requires_grad(false)));
  }
  return buffers;
}

at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset) {
  const at::Tensor part = buffer.narrow(0, offset, parameter.numel());
  if (!parameter.is_non_overlapping_and_dense()) return part.view(parameter.sizes());
  return part.as_strided(parameter.sizes(), parameter.strides());
}

std::vector<at::Tensor> flatten_parameters(const std::vector<NamedParameter>& parameters,
                                           const std::vector<BucketLayout>& layouts) {
  const at::NoGradGuard no_grad;
  auto buffers = zero_buffers(parameters, layouts);
  for (std::size_t b = 0; b < layouts.size(); ++b) {
    for (const BucketPlace& place : layouts[b].places) {
      const at::Tensor& parameter = parameters[place.parameter].tensor;
      at::Tensor view = view_for(parameter.detach(), buffers[b], place.offset);
      view.copy_(parameter);
      parameter.set_data(view);
    }
  }
  return buffers;
}

}  // namespace scalemark::training
