#include "engine/training/weight_passes.h"

#include <algorithm>

namespace scalemark::training {
namespace {

bool is_served(const ParameterLists& lists, std::size_t i) {
  const at::Tensor& parameter = lists.parameters[i];
  if (!is_dense_on_cpu(parameter) || parameter.scalar_type() != at::kFloat) return false;
  const at::Tensor& gradient = lists.gradients[i];
  if (gradient.scalar_type() != at::kFloat && gradient.scalar_type() != at::kBFloat16) return false;
  for (const std::size_t state : {WeightPasses::kMean, WeightPasses::kMeanSquare}) {
    if (!lists.state[state].empty() && !same_layout(parameter, lists.state[state][i])) return false;
  }
  const workloads::WeightCopy* copy = lists.copies[i];
  return same_layout(parameter, gradient) && (!copy || (copy->copy.scalar_type() == at::kBFloat16 &&
                                                        same_layout(parameter, copy->copy)));
}

kernels::BFloat16* bfloat16_of(const at::Tensor& tensor) {
  return static_cast<kernels::BFloat16*>(tensor.mutable_data_ptr());
}

const kernels::WeightUpdateKernels& code() {
  return kernels::weight_update_kernels(kernels::widest());
}

}  // namespace

bool WeightPasses::serve(const ParameterLists& lists) {
  if (std::ranges::none_of(lists.copies, [](const auto* copy) { return copy != nullptr; })) {
    return false;
  }
  for (std::size_t i = 0; i < lists.parameters.size(); ++i) {
    if (!is_served(lists, i)) return false;
  }
  return true;
}

WeightPasses::WeightPasses(const ParameterLists& lists)
    : lists_(lists), chunks_(chunks_of(lists.parameters)) {}

kernels::WeightTensor WeightPasses::pointers(std::size_t tensor) const {
  const auto state = [&](std::size_t slot) {
    const auto& all = lists_.state[slot];
    return all.empty() ? nullptr : all[tensor].mutable_data_ptr<float>();
  };
  const at::Tensor& gradient = lists_.gradients[tensor];
  const bool rounded = gradient.scalar_type() == at::kBFloat16;
  const workloads::WeightCopy* copy = lists_.copies[tensor];
  return {.gradient = rounded ? nullptr : gradient.const_data_ptr<float>(),
          .rounded_gradient = rounded ? bfloat16_of(gradient) : nullptr,
          .parameter = lists_.parameters[tensor].mutable_data_ptr<float>(),
          .mean = state(kMean),
          .mean_square = state(kMeanSquare),
          .copy = copy ? bfloat16_of(copy->copy) : nullptr};
}

void WeightPasses::sgd(const kernels::SgdNumbers& numbers) const {
  for_chunks(chunks_, [&](std::size_t i) {
    const auto& [tensor, begin, end] = chunks_[i];
    code().sgd(pointers(tensor), numbers, begin, end);
  });
  note_copies();
}

void WeightPasses::adam(
    const std::function<kernels::AdamNumbers(std::size_t tensor)>& numbers) const {
  std::vector<kernels::AdamNumbers> of_tensors;
  for (std::size_t i = 0; i < lists_.parameters.size(); ++i) of_tensors.push_back(numbers(i));
  for_chunks(chunks_, [&](std::size_t i) {
    const auto& [tensor, begin, end] = chunks_[i];
    code().adam(pointers(tensor), of_tensors[tensor], begin, end);
  });
  note_copies();
}

void WeightPasses::note_copies() const {
  for (workloads::WeightCopy* copy : lists_.copies) {
    if (copy) copy->is_current = true;
  }
}

}  // namespace scalemark::training
