// The gradients of a whole ResNet-50 as training begins, by our norms and by ATen's, against
// float64. The untrained network multiplies each rounding by some thousands, so that two right
// paths differ much: the question is which of them is nearer, over several seeds together. bf16
// with SCALEMARK_SOAK=full only: CPUs without it take minutes, and norm_test.cpp asks the same of a
// norm.
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/networks/network.h"

namespace scalemark::workloads {
namespace {

constexpr std::uint64_t kSeeds = 3;

struct Path {
  bool fused = false;
  at::ScalarType type = at::kDouble;
  bool autocast = false;
};

// In float64.
std::vector<at::Tensor> gradients_of(const Path& path, std::uint64_t seed) {
  at::manual_seed(seed);
  const auto network = make_network("resnet50", {.shape = {.classes = 10},
                                                 .fused_layers = path.fused,
                                                 .memory_format = at::MemoryFormat::ChannelsLast});
  network->module().to(path.type);
  const data::Batch batch{.tensors = {{"image", at::randint(256, {8, 64, 64, 3}, at::kByte)},
                                      {"label", at::randint(10, {8}, at::kLong)}},
                          .samples = 8};
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, path.autocast);
  const at::Tensor loss = network->loss(batch);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  loss.backward();
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : network->module().parameters()) {
    gradients.push_back(parameter.grad().to(at::kDouble));
  }
  return gradients;
}

// Relative, in the 2-norm of all gradients of all seeds.
double error_of(const Path& path, const std::vector<std::vector<at::Tensor>>& exact) {
  double off = 0, all = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto found = gradients_of(path, seed);
    for (std::size_t i = 0; i < found.size(); ++i) {
      off += std::pow((found[i] - exact[seed][i]).norm().item<double>(), 2);
      all += std::pow(exact[seed][i].norm().item<double>(), 2);
    }
  }
  return std::sqrt(off / all);
}

std::vector<bool> with_autocast() {
  const char* soak = std::getenv("SCALEMARK_SOAK");
  if (soak != nullptr && std::string_view(soak) == "full") return {false, true};
  return {false};
}

TEST(WholeResNet, OursIsAsNearToFloat64AsATens) {
  at::set_num_threads(2);
  std::vector<std::vector<at::Tensor>> exact;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) exact.push_back(gradients_of({}, seed));
  for (const bool autocast : with_autocast()) {
    const double ours = error_of({true, at::kFloat, autocast}, exact);
    const double theirs = error_of({false, at::kFloat, autocast}, exact);
    std::printf("%s: relative error of all gradients %.4g with our norms, %.4g with ATen's\n",
                autocast ? "bf16" : "fp32", ours, theirs);
    EXPECT_LE(ours, 1.05 * theirs) << "autocast " << autocast;
  }
}

}  // namespace
}  // namespace scalemark::workloads
