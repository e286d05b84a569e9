// Measures the 53 norms of ResNet-50 with their additions and ReLUs by themselves: milliseconds per
// forward and backward, by torch's operators and as one node (workloads/layers/fused_norm.h), in
// rounds of both.
//
//   norm-bench [BATCH_SIZE [IMAGE_SIZE [THREADS [ROUNDS]]]]      8 224 1 5
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <malloc.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/statistics/summary.h"
#include "engine/torch/compat.h"
#include "kernels/instruction_set.h"
#include "tools/programs/commands.h"
#include "workloads/layers/layers.h"

namespace scalemark::workloads {
namespace {

using Clock = std::chrono::steady_clock;

struct Norm {
  std::int64_t channels, size;
  bool relu, shortcut;  // one with a shortcut has two users
};

std::vector<Norm> norms_of_resnet50(std::int64_t image_size) {
  std::int64_t size = image_size / 2;
  std::vector<Norm> all{{64, size, true, false}};
  size /= 2;
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = 64 << stage;
    for (int block = 0; block < (std::vector{3, 4, 6, 3})[static_cast<std::size_t>(stage)];
         ++block) {
      const std::int64_t before = size;
      if (block == 0 && stage > 0) size /= 2;
      all.push_back({width, before, true, false});
      all.push_back({width, size, true, false});
      if (block == 0) all.push_back({4 * width, size, false, false});
      all.push_back({4 * width, size, true, true});
    }
  }
  return all;
}

// Hands a gradient on that nobody else holds, as the backward of a convolution does.
struct Source final : torch::autograd::Node {
  at::Tensor gradient;
  torch::autograd::variable_list apply(torch::autograd::variable_list&&) override {
    return {std::move(gradient)};
  }
};

at::Tensor user_of(const at::Tensor& y) {
  const at::NoGradGuard no_grad;
  const auto node = compat::make_node<Source>();
  node->set_next_edges(torch::autograd::collect_next_edges(y));
  node->gradient = at::randn(y.sizes(), y.options()).contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor result = at::zeros({});
  torch::autograd::set_history(result, node);
  return result;
}

void evict_caches() {
  static std::vector<char> other(256 << 20);
  std::fill(other.begin(), other.end(), static_cast<char>(other[0] + 1));
}

struct Milliseconds {
  double forward = 0, backward = 0;
};

template <class Call>
double timed(const Call& call) {
  evict_caches();
  const auto begin = Clock::now();
  call();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Milliseconds cost_of(const Norm& norm, std::int64_t batch, at::ScalarType type, bool fused) {
  const std::vector<std::int64_t> sizes{batch, norm.channels, norm.size, norm.size};
  const auto activation = [&] {
    return at::randn(sizes, type).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  };
  BatchNorm layer(norm.channels, at::zeros({}, at::kLong), fused);
  const at::Tensor x = activation(), shortcut = norm.shortcut ? activation() : at::Tensor();
  Fork y;
  Milliseconds result;
  result.forward = timed([&] {
    y = layer.forward(x, Pass::kFirst, {.relu = norm.relu, .fork = norm.shortcut},
                      norm.shortcut ? [&] { return shortcut; } : Shortcut());
  });
  torch::autograd::variable_list users{user_of(y.branch)};
  if (norm.shortcut) users.push_back(user_of(y.shortcut));
  y = {};
  result.backward = timed([&] { torch::autograd::backward(users, {}); });
  return result;
}

Milliseconds cost_of_all(std::int64_t batch, std::int64_t image, at::ScalarType type, bool fused) {
  Milliseconds sum;
  for (const Norm& norm : norms_of_resnet50(image)) {
    const Milliseconds one = cost_of(norm, batch, type, fused);
    sum.forward += one.forward;
    sum.backward += one.backward;
  }
  return sum;
}

void compare(std::int64_t batch, std::int64_t image, at::ScalarType type, int rounds) {
  for (const bool fused : {false, true}) cost_of_all(batch, image, type, fused);
  std::vector<double> forward[2], backward[2], ratio;
  for (int round = 0; round < rounds; ++round) {
    double sum[2];
    for (const bool fused : {false, true}) {
      const Milliseconds cost = cost_of_all(batch, image, type, fused);
      forward[fused].push_back(cost.forward);
      backward[fused].push_back(cost.backward);
      sum[fused] = cost.forward + cost.backward;
    }
    ratio.push_back(sum[1] / sum[0]);
  }
  std::printf("%-8s  torch %6.1f + %6.1f   fused %6.1f + %6.1f   ratio %.2f\n", c10::toString(type),
              statistics::median(forward[0]), statistics::median(backward[0]),
              statistics::median(forward[1]), statistics::median(backward[1]),
              statistics::median(ratio));
}

}  // namespace
}  // namespace scalemark::workloads

int scalemark::commands::norm_bench(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::stoi(argv[i]) : otherwise;
  };
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // no page faults where memory was used before
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const int batch = number(1, 8), image = number(2, 224), threads = number(3, 1);
  at::set_num_threads(threads);
  std::printf("53 norms, batch %d, %d px, %d thread(s), %s: ms forward + backward, medians\n",
              batch, image, threads, name_of(scalemark::kernels::widest()));
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    scalemark::workloads::compare(batch, image, type, number(4, 5));
  }
  return 0;
}
