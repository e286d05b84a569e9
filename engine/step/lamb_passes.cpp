#include "engine/step/lamb_passes.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <cmath>
#include <vector>

#include "engine/step/parameter_group.h"
#include "workloads/layers/layer_operators.h"

namespace scalemark::training {
namespace {

c10::OperatorHandle lamb_operator(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

bool has_kernels(const at::Tensor& parameter) {
  static const auto kOperator = lamb_operator("scalemark::lamb_apply");
  if (parameter.is_cuda()) return kOperator.hasKernelForDispatchKey(c10::DispatchKey::CUDA);
  return parameter.is_cpu() && kOperator.hasKernelForDispatchKey(c10::DispatchKey::CPU);
}

bool is_half_precision(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

// Returns the copies that the kernels write, entry i for parameter i; undefined where there is
// none. They all have the type to which autocast casts.
std::vector<at::Tensor> written_copies(const ParameterLists& lists) {
  std::vector<at::Tensor> copies(lists.copies.size());
  bool any = false;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const workloads::WeightCopy* kept = lists.copies[i];
    if (!kept || !is_half_precision(kept->copy.scalar_type())) continue;
    if (!same_layout(lists.parameters[i], kept->copy)) continue;
    copies[i] = kept->copy;
    any = true;
  }
  if (!any) copies.clear();
  return copies;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scalemark, library) {
  library.def(
      "lamb_numbers(Tensor steps, Tensor? found_inf, Tensor? divisor, Tensor? rate, float "
      "known_rate, float beta1, float beta2) -> Tensor");
  library.def(
      "lamb_moments(Tensor[] parameters, Tensor[] gradients, Tensor(a!)[] means, Tensor(b!)[] "
      "mean_squares, Tensor numbers, float beta1, float beta2, float eps, float weight_decay, bool "
      "with_norms) -> Tensor");
  library.def(
      "lamb_apply(Tensor(a!)[] parameters, Tensor[] means, Tensor[] mean_squares, Tensor(b!)[] "
      "copies, Tensor? norms, Tensor numbers, float eps, float weight_decay) -> ()");
}

bool LambOperators::serve(const ParameterLists& lists) {
  const at::Tensor& first = lists.parameters.front();
  const auto type = first.scalar_type();
  return has_kernels(first) && (type == at::kFloat || (first.is_cpu() && type == at::kDouble)) &&
         lie_alike(lists);
}

at::Tensor LambOperators::numbers(const at::Tensor& steps, const GradientTerms& terms,
                                  const LearningRate& rate, const LambRule& rule) {
  static const auto kOperator =
      lamb_operator("scalemark::lamb_numbers")
          .typed<at::Tensor(const at::Tensor&, const MaybeTensor&, const MaybeTensor&,
                            const MaybeTensor&, double, double, double)>();
  return kOperator.call(steps, if_defined(terms.found_inf), if_defined(terms.divisor),
                        if_defined(rate.tensor), rate.value, rule.beta1, rule.beta2);
}

at::Tensor LambOperators::update_moments(bool with_norms) const {
  static const auto kOperator =
      lamb_operator("scalemark::lamb_moments")
          .typed<at::Tensor(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                            const at::Tensor&, double, double, double, double, bool)>();
  // Otherwise autograd's fallback for unknown operators would box all lists.
  const at::AutoDispatchBelowAutograd below;
  return kOperator.call(lists_.parameters, lists_.gradients, lists_.state[kMean],
                        lists_.state[kMeanSquare], numbers_, rule_.beta1, rule_.beta2, rule_.eps,
                        rule_.weight_decay, with_norms);
}

void LambOperators::apply(const at::Tensor& norms) const {
  static const auto kOperator =
      lamb_operator("scalemark::lamb_apply")
          .typed<void(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                      const MaybeTensor&, const at::Tensor&, double, double)>();
  const at::AutoDispatchBelowAutograd below;
  const std::vector<at::Tensor> copies = written_copies(lists_);
  kOperator.call(lists_.parameters, lists_.state[kMean], lists_.state[kMeanSquare], copies,
                 if_defined(norms), numbers_, rule_.eps, rule_.weight_decay);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].defined()) lists_.copies[i]->is_current = true;
  }
}

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
