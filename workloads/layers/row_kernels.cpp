#include "workloads/layers/row_kernels.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/torch/compat.h"
#include "workloads/layers/parallel.h"

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

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

std::uint64_t next_key() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

template <class Kernel>
at::Tensor times_mask(const at::Tensor& x, const at::Tensor& bits, const kernels::Dropout& dropout,
                      Kernel kernel) {
  const Matrix matrix(x);
  auto y = at::empty_like(x);
  with_types(x.scalar_type(), [&](auto types) {
    using T = decltype(types);
    const kernels::Drop<typename T::X, typename T::C> drop{.x = pointer<typename T::X>(x),
                                                           .y = pointer<typename T::X>(y),
                                                           .bits = pointer<std::uint32_t>(bits),
                                                           .columns = matrix.columns,
                                                           .dropout = dropout};
    for_rows(matrix,
             [&](std::int64_t begin, std::int64_t end) { kernel(T::kernels(), drop, begin, end); });
  });
  return y;
}

constexpr auto kDrop = [](const auto& kernels, const auto& drop, auto begin, auto end) {
  kernels.drop(drop, begin, end);
};
constexpr auto kDrawAndDrop = [](const auto& kernels, const auto& drop, auto begin, auto end) {
  kernels.draw_and_drop(drop, begin, end);
};

struct FastDropoutBackward final : torch::autograd::Node {
  SavedVariable bits;
  kernels::Dropout dropout;

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(1);
    const at::Tensor kept = bits.unpack();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return {times_mask(gradients[0].contiguous(), kept, dropout, kDrop)};
  }
  void release_variables() override { bits.reset_data(); }
};

}  // namespace

kernels::Dropout next_dropout(double probability) {
  TORCH_CHECK(probability >= 0 && probability < 1 - 0x1p-17, "dropout of ", probability,
              "; at least 0 and below 1 after rounding to 2^-16");
  return kernels::dropout_of(probability, probability > 0 ? next_key() : 0);
}

at::Tensor mask_for(const kernels::Dropout& dropout, std::int64_t rows, std::int64_t columns) {
  if (dropout.threshold == 0) return {};
  return at::empty({rows, kernels::mask_words(columns)}, at::kInt);
}

at::Tensor fast_dropout(const at::Tensor& x, double probability) {
  const kernels::Dropout dropout = next_dropout(probability);
  if (dropout.threshold == 0) return x;
  const Matrix matrix(x);
  at::Tensor bits, y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    bits = mask_for(dropout, matrix.rows, matrix.columns);
    y = times_mask(x.contiguous(), bits, dropout, kDrawAndDrop);
  }
  if (any_wants_gradient({x})) {
    auto node = compat::make_node<FastDropoutBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    node->bits = SavedVariable(bits, false);
    node->dropout = dropout;
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace scalemark::workloads
