// Connects the operators of workloads/layers/layer_operators.h with our kernels: memory, types,
// launches. `Runtime` is the class of operators.h, or a test's class with the same members.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {

template <class Runtime>
struct LayerPasses {
  // Calls body(T{}), where T is the type of activations.
  template <class Body>
  static void with_type(at::ScalarType type, const Body& body) {
    switch (type) {
      case at::kFloat:
        return body(float{});
      case at::kHalf:
        return body(typename Runtime::Half{});
      case at::kBFloat16:
        return body(typename Runtime::BFloat16{});
      default:
        if (!Runtime::with_more_types(type, body))
          TORCH_CHECK(false, "no layer operators for ", type);
    }
  }

  template <class T>
  static const T* in(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<const T*>(tensor.const_data_ptr()) : nullptr;
  }
  template <class T>
  static T* out(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
  }

  static at::ScalarType computed_in(at::ScalarType type) {
    return type == at::kDouble ? at::kDouble : at::kFloat;
  }

  static std::int64_t rows_of(const at::Tensor& matrix) {
    return matrix.size(-1) == 0 ? 0 : matrix.numel() / matrix.size(-1);
  }

  static double threshold_of(double probability) { return std::nearbyint(probability * 65536); }
  static double scale_of(double probability) { return 65536 / (65536 - threshold_of(probability)); }

  static std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> residual_norm(
      const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
      const at::Tensor& weight, const at::Tensor& norm_bias, double eps, double dropout) {
    const Runtime runtime(x);
    const std::int64_t rows = rows_of(x), columns = x.size(-1);
    const auto y = at::empty_like(x), sum = at::empty_like(x);
    const auto statistics = at::empty({2, rows}, x.options().dtype(computed_in(x.scalar_type())));
    const auto threshold = static_cast<std::uint32_t>(threshold_of(dropout));
    at::Tensor mask;
    if (threshold > 0) mask = at::empty({rows, groups_of(columns)}, x.options().dtype(at::kByte));
    const Drawing drawing{threshold > 0 ? Runtime::random(kWordsOfAMask) : RandomSource{},
                          threshold};
    with_type(x.scalar_type(), [&](auto type) {
      using X = decltype(type);
      using C = Computed<X>;
      const ResidualNorm<X> pass{in<X>(x),
                                 in<X>(residual),
                                 in<C>(bias),
                                 in<C>(weight),
                                 in<C>(norm_bias),
                                 out<X>(y),
                                 out<X>(sum),
                                 out<C>(statistics),
                                 out<C>(statistics) + rows,
                                 out<std::uint8_t>(mask),
                                 rows,
                                 static_cast<unsigned>(columns),
                                 static_cast<C>(eps),
                                 static_cast<C>(scale_of(dropout)),
                                 drawing};
      Runtime::check(launch_residual_norm(pass, runtime.multiprocessors(), runtime.stream()));
    });
    return {y, sum, statistics, mask};
  }

  static std::tuple<at::Tensor, at::Tensor, at::Tensor> residual_norm_gradient(
      const at::Tensor& of_y, const std::optional<at::Tensor>& of_y_too, const at::Tensor& sum,
      const at::Tensor& statistics, const std::optional<at::Tensor>& mask, const at::Tensor& weight,
      double dropout) {
    const Runtime runtime(sum);
    const std::int64_t rows = rows_of(sum), columns = sum.size(-1);
    const auto of_residual = at::empty_like(sum);
    const bool dropped = mask.has_value() && mask->defined();
    const auto of_x = dropped ? at::empty_like(sum) : at::Tensor();
    const auto of_parameters = at::empty({3, columns}, statistics.options());
    const auto partials =
        at::empty({norm_blocks(rows, runtime.multiprocessors()), 3, columns}, statistics.options());
    with_type(sum.scalar_type(), [&](auto type) {
      using X = decltype(type);
      using C = Computed<X>;
      const ResidualNormGradient<X> pass{in<X>(of_y),
                                         of_y_too ? in<X>(*of_y_too) : nullptr,
                                         in<X>(sum),
                                         in<C>(statistics),
                                         in<C>(statistics) + rows,
                                         in<C>(weight),
                                         dropped ? in<std::uint8_t>(*mask) : nullptr,
                                         out<X>(of_x),
                                         out<X>(of_residual),
                                         out<C>(partials),
                                         rows,
                                         static_cast<unsigned>(columns),
                                         static_cast<C>(scale_of(dropout))};
      Runtime::check(launch_residual_norm_gradient(pass, out<C>(of_parameters),
                                                   runtime.multiprocessors(), runtime.stream()));
    });
    return {dropped ? of_x : of_residual, of_residual, of_parameters};
  }

  static at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
    const Runtime runtime(x);
    auto y = at::empty_like(x);
    with_type(x.scalar_type(), [&](auto type) {
      using X = decltype(type);
      Runtime::check(launch_bias_gelu(in<X>(x), in<Computed<X>>(bias), out<X>(y), rows_of(x),
                                      x.size(-1), runtime.multiprocessors(), runtime.stream()));
    });
    return y;
  }

  static std::tuple<at::Tensor, at::Tensor> bias_gelu_gradient(const at::Tensor& of_y,
                                                               const at::Tensor& x,
                                                               const at::Tensor& bias) {
    const Runtime runtime(x);
    const Tiles tiles = tiles_of(rows_of(x), x.size(-1), runtime.multiprocessors());
    const auto of_x = at::empty_like(x), of_bias = at::empty_like(bias);
    const auto partials = at::empty({tiles.chunks, tiles.columns}, bias.options());
    with_type(x.scalar_type(), [&](auto type) {
      using X = decltype(type);
      using C = Computed<X>;
      Runtime::check(launch_bias_gelu_gradient(in<X>(of_y), in<X>(x), in<C>(bias), out<X>(of_x),
                                               out<C>(partials), out<C>(of_bias), tiles,
                                               runtime.stream()));
    });
    return {of_x, of_bias};
  }

  static std::tuple<at::Tensor, at::Tensor> pack_projections(at::TensorList weights,
                                                             at::TensorList biases,
                                                             at::ScalarType dtype) {
    const Runtime runtime(weights[0]);
    const auto like = weights[0].options().dtype(dtype);
    const auto weight = at::empty({kProjections * weights[0].size(0), weights[0].size(1)}, like);
    const auto bias = at::empty({kProjections * biases[0].numel()}, like);
    with_type(dtype, [&](auto type) {
      using X = decltype(type);
      ProjectionParameters<Computed<X>> parameters{};
      for (unsigned i = 0; i < kProjections; ++i) {
        parameters.weight[i] = in<Computed<X>>(weights[i]);
        parameters.bias[i] = in<Computed<X>>(biases[i]);
      }
      parameters.weight_count = weights[0].numel();
      parameters.bias_count = static_cast<unsigned>(biases[0].numel());
      Runtime::check(launch_pack_parameters(parameters, out<X>(weight), out<X>(bias),
                                            runtime.multiprocessors(), runtime.stream()));
    });
    return {weight, bias};
  }

  static std::tuple<at::Tensor, at::Tensor> pack_gradients(at::TensorList of_outputs) {
    const Runtime runtime(of_outputs[0]);
    const auto& first = of_outputs[0];
    const std::int64_t rows = rows_of(first), columns = kProjections * first.size(-1);
    const Tiles tiles = tiles_of(rows, columns, runtime.multiprocessors());
    const auto sums = first.options().dtype(computed_in(first.scalar_type()));
    const auto packed = at::empty({rows, columns}, first.options()),
               of_biases = at::empty({columns}, sums),
               partials = at::empty({tiles.chunks, columns}, sums);
    with_type(first.scalar_type(), [&](auto type) {
      using X = decltype(type);
      using C = Computed<X>;
      ProjectionGradients<X> gradients{};
      for (unsigned i = 0; i < kProjections; ++i) gradients.of_output[i] = in<X>(of_outputs[i]);
      Runtime::check(launch_pack_gradients(gradients, out<X>(packed), out<C>(partials),
                                           out<C>(of_biases), tiles, runtime.stream()));
    });
    return {packed, of_biases};
  }
};

// Registers all of them as the implementations of their schemas.
template <class Runtime, class Library>
void register_layer_passes(Library& library) {
  using Passes = LayerPasses<Runtime>;
  library.impl("residual_norm", &Passes::residual_norm);
  library.impl("residual_norm_gradient", &Passes::residual_norm_gradient);
  library.impl("bias_gelu", &Passes::bias_gelu);
  library.impl("bias_gelu_gradient", &Passes::bias_gelu_gradient);
  library.impl("pack_projections", &Passes::pack_projections);
  library.impl("pack_gradients", &Passes::pack_gradients);
}

}  // namespace scalemark::cuda
