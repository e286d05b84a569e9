#include "workloads/row_kernels.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

#include "workloads/parallel.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kRowsOfAChunk = 64;
constexpr std::int64_t kElementsWorthAThread = 8192;

template <class C>
void add_up(const C* partials, std::int64_t chunks, std::int64_t width, C* result) {
  std::vector<double> sums(static_cast<std::size_t>(width));
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk, partials += width) {
    for (std::int64_t i = 0; i < width; ++i) sums[static_cast<std::size_t>(i)] += partials[i];
  }
  std::transform(sums.begin(), sums.end(), result, [](double sum) { return static_cast<C>(sum); });
}

}  // namespace

bool has_row_kernels(const at::Tensor& x) {
  if (!x.is_cpu() || !(x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble)) {
    return false;
  }
  return !at::autocast::is_autocast_enabled(at::kCPU) ||
         at::autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16;
}

at::ScalarType parameter_type(at::ScalarType activation) {
  const bool is_half = activation == at::kBFloat16 || activation == at::kHalf;
  return is_half ? at::kFloat : activation;
}

void for_rows(const Matrix& matrix,
              const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, kElementsWorthAThread / std::max<std::int64_t>(1, matrix.columns));
  parallel_for(0, matrix.rows, grain, body);
}

at::Tensor summed_over_rows(
    const Matrix& matrix, std::int64_t width, const at::TensorOptions& options,
    const std::function<void(void* partial, std::int64_t begin, std::int64_t end)>& body) {
  const std::int64_t chunks = (matrix.rows + kRowsOfAChunk - 1) / kRowsOfAChunk;
  const auto partials = at::zeros({chunks, width}, options);
  const auto bytes = width * static_cast<std::int64_t>(partials.element_size());
  auto* const memory = static_cast<char*>(partials.mutable_data_ptr());
  parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      body(memory + chunk * bytes, chunk * kRowsOfAChunk,
           std::min(matrix.rows, (chunk + 1) * kRowsOfAChunk));
    }
  });
  auto result = at::empty({width}, options);
  if (partials.scalar_type() == at::kDouble) {
    add_up(partials.const_data_ptr<double>(), chunks, width, result.mutable_data_ptr<double>());
  } else {
    add_up(partials.const_data_ptr<float>(), chunks, width, result.mutable_data_ptr<float>());
  }
  return result;
}

bool any_wants_gradient(std::initializer_list<at::Tensor> inputs) {
  return at::GradMode::is_enabled() &&
         std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& tensor) {
           return tensor.defined() && tensor.requires_grad();
         });
}

}  // namespace scalemark::workloads
