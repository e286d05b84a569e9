#include "engine/training/lamb_passes.h"

#include <ATen/ops/zeros.h>

#include <cmath>

namespace scalemark::training {
namespace {

template <class C>
const kernels::LambKernels<C>& lamb_kernels() {
  const auto& all = kernels::optimizer_kernels(kernels::widest());
  if constexpr (std::is_same_v<C, float>) {
    return all.of_float;
  } else {
    return all.of_double;
  }
}

}  // namespace

bool LambPasses::serve(const ParameterLists& lists) {
  const at::Tensor& first = lists.parameters.front();
  const auto type = first.scalar_type();
  return first.is_cpu() && (type == at::kFloat || type == at::kDouble) && lie_alike(lists);
}

LambPasses::LambPasses(const ParameterLists& lists, const kernels::LambNumbers& numbers)
    : lists_(lists), numbers_(numbers), chunks_(chunks_of(lists.parameters)) {}

template <class C>
kernels::LambTensor<C> LambPasses::pointers(std::size_t tensor) const {
  return {.gradient = lists_.gradients[tensor].const_data_ptr<C>(),
          .parameter = lists_.parameters[tensor].mutable_data_ptr<C>(),
          .mean = lists_.state[kMean][tensor].mutable_data_ptr<C>(),
          .mean_square = lists_.state[kMeanSquare][tensor].mutable_data_ptr<C>()};
}

// Calls body(C{}, index) for each chunk, in several threads.
template <class Body>
void LambPasses::for_typed_chunks(const Body& body) const {
  const bool in_double = lists_.parameters.front().scalar_type() == at::kDouble;
  for_chunks(chunks_, [&](std::size_t i) { in_double ? body(double{}, i) : body(float{}, i); });
}

at::Tensor LambPasses::update_moments() const {
  std::vector<kernels::LambSquares> of_chunks(chunks_.size());
  for_typed_chunks([&](auto type, std::size_t i) {
    using C = decltype(type);
    const auto& [tensor, begin, end] = chunks_[i];
    of_chunks[i] = lamb_kernels<C>().moments(pointers<C>(tensor), numbers_, begin, end);
  });
  const auto tensors = static_cast<std::int64_t>(lists_.parameters.size());
  at::Tensor norms = at::zeros({2, tensors}, at::kDouble);
  auto* const of_parameters = norms.mutable_data_ptr<double>();
  auto* const of_directions = of_parameters + tensors;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    of_parameters[chunks_[i].tensor] += of_chunks[i].parameter;
    of_directions[chunks_[i].tensor] += of_chunks[i].direction;
  }
  return norms.sqrt_();
}

void LambPasses::apply(const at::Tensor& rates) const {
  const auto* const rate_of = rates.const_data_ptr<double>();
  for_typed_chunks([&](auto type, std::size_t i) {
    using C = decltype(type);
    const auto& [tensor, begin, end] = chunks_[i];
    lamb_kernels<C>().apply(pointers<C>(tensor), numbers_, rate_of[tensor], begin, end);
  });
}

}  // namespace scalemark::training
