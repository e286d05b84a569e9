// Steps of a ResNet in float64, with fused layers and with ATen's operators: both train alike.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/workloads/shallow_resnet.h"

namespace scalemark::workloads {

struct Step {
  double loss;
  std::vector<at::Tensor> gradients;
};

// SGD, small steps: at full rates ResNet-50 multiplies rounding by 30 in each (parity_test.py).
inline std::vector<Step> train(bool fused, std::int64_t samples, std::int64_t size, int count) {
  at::set_num_threads(2);
  at::manual_seed(1);
  const auto network = make_shallow_resnet({.shape = {.classes = 10},
                                            .fused_layers = fused,
                                            .memory_format = at::MemoryFormat::ChannelsLast});
  network->module().to(at::kDouble);
  const data::Batch batch{
      .tensors = {{"image", at::randint(256, {samples, size, size, 3}, at::kByte)},
                  {"label", at::randint(10, {samples}, at::kLong)}},
      .samples = samples};
  std::vector<Step> steps;
  for (int i = 0; i < count; ++i) {
    const at::Tensor loss = network->loss(batch);
    loss.backward();
    steps.push_back({loss.item<double>(), {}});
    const at::NoGradGuard no_grad;
    for (at::Tensor& parameter : network->module().parameters()) {
      steps.back().gradients.push_back(parameter.grad().clone());
      parameter.sub_(parameter.grad(), 1e-6);
      parameter.mutable_grad().reset();
    }
  }
  return steps;
}

// Losses to 1e-12 and gradients to 1e-10, relative.
inline void expect_same_training(std::int64_t samples, std::int64_t size, int steps) {
  const auto plain = train(false, samples, size, steps), fused = train(true, samples, size, steps);
  EXPECT_NE(plain.front().loss, plain.back().loss);  // it moved
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(fused[i].loss / plain[i].loss, 1, 1e-12) << "step " << i;
    for (std::size_t p = 0; p < plain[i].gradients.size(); ++p) {
      const at::Tensor& expected = plain[i].gradients[p];
      const double off = (fused[i].gradients[p] - expected).norm().item<double>();
      EXPECT_LE(off, 1e-10 * expected.norm().item<double>()) << "step " << i << ", " << p;
    }
  }
}

}  // namespace scalemark::workloads
