// Batch norm, addition and ReLU by ATen's operators, one by one, for tests of our kernels on CPUs
// and GPUs: inputs, results, and how far these are apart.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace scalemark::workloads {

inline constexpr double kEps = 1e-5;
inline constexpr auto kLayout = at::MemoryFormat::ChannelsLast;

struct Shape {
  std::int64_t batch, channels, size;
};

struct Tail {
  bool relu, shortcut;
  double gain;
};
inline const std::vector<Tail> kTails = {
    {false, false, 1}, {true, false, 1}, {true, true, 1}, {true, true, 1.25}};

// Activations that are exact in every type.
inline at::Tensor activation(const Shape& shape, double mean = 0.3) {
  return (at::randn({shape.batch, shape.channels, shape.size, shape.size}) * 1.7 + mean)
      .to(at::kBFloat16)
      .contiguous(kLayout);
}

struct Inputs {
  explicit Inputs(const Shape& shape)
      : x(activation(shape)),
        shortcut(activation(shape)),
        of_y(activation(shape, 0)),
        of_y_too(activation(shape, 0)),
        weight(at::rand({shape.channels}) + 0.5),
        bias(at::randn({shape.channels})) {}
  at::Tensor x, shortcut, of_y, of_y_too, weight, bias;
};

struct Results {
  at::Tensor y, of_x, of_shortcut, of_weight, of_bias, mean, variance;

  std::vector<std::pair<std::string, at::Tensor>> all() const {
    return {{"y", y},
            {"of x", of_x},
            {"of shortcut", of_shortcut},
            {"of weight", of_weight},
            {"of bias", of_bias},
            {"mean", mean},
            {"variance", variance}};
  }
};

inline at::ScalarType type_of_parameters(at::ScalarType type) {
  return type == at::kDouble ? at::kDouble : at::kFloat;
}

// In `type`. Both gradients of y come in; without a shortcut the first only.
inline Results oracle(const Inputs& in, const Tail& tail, at::ScalarType type) {
  const auto parameters = type_of_parameters(type);
  const auto leaf = [](const at::Tensor& tensor, at::ScalarType as) {
    return tensor.to(as).clone().requires_grad_();
  };
  const at::Tensor x = leaf(in.x, type), shortcut = leaf(in.shortcut, type);
  const at::Tensor weight = leaf(in.weight, parameters), bias = leaf(in.bias, parameters);
  Results out;
  out.mean = at::zeros(in.weight.sizes(), parameters);
  out.variance = at::ones(in.weight.sizes(), parameters);
  at::Tensor y = at::batch_norm(x, weight, bias, out.mean, out.variance, true, 0.1, kEps, false);
  if (tail.gain != 1) y = y * tail.gain;
  if (tail.shortcut) y = y + shortcut;
  if (tail.relu) y = y.relu();
  at::Tensor of_y = in.of_y.to(type);
  if (tail.shortcut) of_y = of_y + in.of_y_too.to(type);
  y.backward(of_y);
  out.y = y.detach();
  out.of_x = x.grad();
  if (tail.shortcut) out.of_shortcut = shortcut.grad();
  out.of_weight = weight.grad();
  out.of_bias = bias.grad();
  return out;
}

// Relative, in the Euclidean norm: where a ReLU's input is nearly 0, single elements may differ.
inline double distance(const at::Tensor& a, const at::Tensor& b) {
  const double size = b.to(at::kDouble).norm().item<double>();
  return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>() / std::max(size, 1e-300);
}

inline std::string text(const Shape& shape, const Tail& tail) {
  return std::to_string(shape.batch) + "x" + std::to_string(shape.channels) + "x" +
         std::to_string(shape.size) + (tail.relu ? " relu" : "") +
         (tail.shortcut ? " shortcut" : "") + " " + std::to_string(tail.gain);
}

}  // namespace scalemark::workloads
