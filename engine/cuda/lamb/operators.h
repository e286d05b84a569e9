// The operators of engine/step/lamb_passes.h over tensors: they allocate memory, fill tables of
// pointers and launch. `Runtime` is the class of engine/cuda/operators.h, or a test's class with
// the same members.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "engine/cuda/lamb/launches.h"

namespace scalemark::cuda {

template <class Runtime>
struct LambOperators {
  using MaybeTensor = std::optional<at::Tensor>;

  // Calls body(C{}), where C is the type of parameters, gradients and moments.
  template <class Body>
  static void with_type(at::ScalarType type, const Body& body) {
    if (type == at::kFloat) return body(float{});
    TORCH_CHECK(Runtime::with_more_types(type, body), "no LAMB of ours for ", type);
  }

  // Returns the number on the device, or `known` where there is none.
  static DeviceNumber number_of(const MaybeTensor& tensor, double known) {
    if (!tensor || !tensor->defined()) return {nullptr, nullptr, known};
    TORCH_CHECK(tensor->numel() == 1, "not a number: ", tensor->sizes());
    if (tensor->scalar_type() == at::kDouble)
      return {nullptr, tensor->template const_data_ptr<double>(), 0};
    return {tensor->template const_data_ptr<float>(), nullptr, 0};
  }

  static at::Tensor numbers(const at::Tensor& steps, const MaybeTensor& found_inf,
                            const MaybeTensor& divisor, const MaybeTensor& rate, double known_rate,
                            double beta1, double beta2) {
    const Runtime runtime(steps);
    auto all = at::empty({kLambNumbers}, steps.options().dtype(at::kDouble));
    const LambStep step{number_of(steps, 0),
                        number_of(found_inf, 0),
                        number_of(divisor, 1),
                        number_of(rate, known_rate),
                        beta1,
                        beta2};
    Runtime::check(launch_lamb_numbers(step, static_cast<LambNumbers*>(all.mutable_data_ptr()),
                                       runtime.stream()));
    return all;
  }

  static at::Tensor moments(at::TensorList parameters, at::TensorList gradients,
                            at::TensorList means, at::TensorList mean_squares,
                            const at::Tensor& numbers, double beta1, double beta2, double eps,
                            double weight_decay, bool with_norms) {
    const Runtime runtime(numbers);
    const auto tensors = static_cast<std::int64_t>(parameters.size());
    at::Tensor norms = with_norms ? at::empty({2, tensors}, numbers.options()) : at::Tensor();
    with_type(parameters[0].scalar_type(), [&](auto type) {
      using C = decltype(type);
      const LambRule<C> rule = rule_of<C>(beta1, beta2, eps, weight_decay);
      // Launches run one after the other, so all use the same room.
      const at::Tensor room = at::empty({chunks_of_all(parameters), 2}, parameters[0].options());
      auto* const squares = static_cast<LambSquares<C>*>(room.mutable_data_ptr());
      for_tables<C>({parameters, gradients, means, mean_squares, {}}, [&](const LambTable<C>& table,
                                                                          unsigned first) {
        Runtime::check(
            launch_lamb_moments(table, rule, memory_of(numbers), squares, runtime.stream()));
        if (with_norms) {
          auto* const of_parameters = norms.template mutable_data_ptr<double>() + first;
          Runtime::check(launch_lamb_norms(table.chunks, squares, of_parameters,
                                           of_parameters + tensors, runtime.stream()));
        }
      });
    });
    return norms;
  }

  static void apply(at::TensorList parameters, at::TensorList means, at::TensorList mean_squares,
                    at::TensorList copies, const MaybeTensor& norms, const at::Tensor& numbers,
                    double eps, double weight_decay) {
    const Runtime runtime(numbers);
    with_type(parameters[0].scalar_type(), [&](auto type) {
      using C = decltype(type);
      const LambRule<C> rule = rule_of<C>(0, 0, eps, weight_decay);
      for_tables<C>({parameters, {}, means, mean_squares, copies},
                    [&](const LambTable<C>& table, unsigned first) {
                      const LambNorms of_launch = norms_of(norms, first);
                      with_type_of_copies<C>(copies, [&](auto copy) {
                        Runtime::check(launch_lamb_apply<C, decltype(copy)>(
                            table, rule, memory_of(numbers), of_launch, runtime.stream()));
                      });
                    });
    });
  }

 private:
  // A list is empty where it is not needed.
  struct Lists {
    at::TensorList parameters, gradients, means, mean_squares, copies;
  };

  template <class C>
  static LambRule<C> rule_of(double beta1, double beta2, double eps, double weight_decay) {
    return {static_cast<C>(beta1),     static_cast<C>(beta2), static_cast<C>(1 - beta1),
            static_cast<C>(1 - beta2), static_cast<C>(eps),   static_cast<C>(weight_decay)};
  }

  static const LambNumbers* memory_of(const at::Tensor& numbers) {
    return static_cast<const LambNumbers*>(numbers.const_data_ptr());
  }

  static LambNorms norms_of(const MaybeTensor& norms, unsigned first) {
    if (!norms || !norms->defined()) return {nullptr, nullptr};
    const auto* const of_parameters = norms->template const_data_ptr<double>() + first;
    return {of_parameters, of_parameters + norms->size(1)};
  }

  static std::int64_t chunks_of_all(at::TensorList tensors) {
    std::int64_t chunks = 0;
    for (const at::Tensor& tensor : tensors) chunks += chunks_of(tensor.numel());
    return chunks;
  }

  template <class T>
  static T* memory_of(at::TensorList list, std::size_t i) {
    return list.empty() || !list[i].defined() ? nullptr
                                              : static_cast<T*>(list[i].mutable_data_ptr());
  }

  // Calls launch(table, index of its first tensor) for as many tensors as a launch takes, until all
  // tensors are done.
  template <class C, class Launch>
  static void for_tables(const Lists& lists, const Launch& launch) {
    const std::size_t all = lists.parameters.size();
    for (std::size_t first = 0; first < all; first += kTensorsOfALaunch) {
      LambTable<C> table{};
      for (std::size_t i = first; i < std::min<std::size_t>(all, first + kTensorsOfALaunch); ++i) {
        const std::int64_t size = lists.parameters[i].numel();
        table.tensor[i - first] = {
            memory_of<C>(lists.gradients, i), memory_of<C>(lists.parameters, i),
            memory_of<C>(lists.means, i),     memory_of<C>(lists.mean_squares, i),
            memory_of<void>(lists.copies, i), size};
        table.chunks.add(size);
      }
      launch(table, static_cast<unsigned>(first));
    }
  }

  // All copies have one type, and their parameters are in float. Calls body(C{}) when there are no
  // copies.
  template <class C, class Body>
  static void with_type_of_copies(at::TensorList copies, const Body& body) {
    if constexpr (std::is_same_v<C, float>) {
      for (const at::Tensor& copy : copies) {
        if (copy.defined()) {
          using Half = typename Runtime::Half;
          using BFloat16 = typename Runtime::BFloat16;
          return copy.scalar_type() == at::kHalf ? body(Half{}) : body(BFloat16{});
        }
      }
    }
    body(C{});
  }
};

// Registers all of them as the implementations of their schemas.
template <class Runtime, class Library>
void register_lamb_operators(Library& library) {
  using Operators = LambOperators<Runtime>;
  library.impl("lamb_numbers", &Operators::numbers);
  library.impl("lamb_moments", &Operators::moments);
  library.impl("lamb_apply", &Operators::apply);
}

}  // namespace scalemark::cuda
