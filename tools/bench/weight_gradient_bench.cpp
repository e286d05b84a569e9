// Measures the gradients of ResNet-50's weights in bfloat16, one convolution after the other:
// milliseconds by oneDNN's kernel and by a matrix product (workloads/layers/layers.h), medians over
// rounds of both, with caches emptied before each.
//
//   weight-gradient-bench [BATCH_SIZE [IMAGE_SIZE [THREADS [ROUNDS]]]]      8 224 2 9
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/statistics/summary.h"
#include "tools/programs/commands.h"
#include "workloads/layers/layers.h"

namespace scalemark::workloads {
namespace {

using Clock = std::chrono::steady_clock;

struct Shape {
  std::int64_t in, out, size, kernel, stride;
  auto operator<=>(const Shape&) const = default;
};

// Without the first one, whose 3 input channels no product serves. With how often each occurs.
std::map<Shape, int> convolutions_of_resnet50(std::int64_t image_size) {
  std::map<Shape, int> all;
  std::int64_t size = image_size / 4, in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = 64 << stage;
    for (int block = 0; block < std::array{3, 4, 6, 3}[static_cast<std::size_t>(stage)]; ++block) {
      const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      ++all[{in, width, size, 1, 1}];
      ++all[{width, width, size, 3, stride}];
      if (block == 0) ++all[{in, 4 * width, size, 1, stride}];
      size /= stride;
      ++all[{width, 4 * width, size, 1, 1}];
      in = 4 * width;
    }
  }
  return all;
}

void empty_caches() {
  static std::vector<char> other(96 << 20);
  for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
}

double milliseconds(const std::function<void()>& body) {
  empty_caches();
  const auto begin = Clock::now();
  body();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Times {
  double kernel, product;
};

Times measure(const Shape& shape, std::int64_t batch, int rounds) {
  const ConvolutionSteps steps{.stride = shape.stride, .padding = shape.kernel / 2};
  const auto of = [&](at::IntArrayRef sizes) {
    return at::randn(sizes).to(at::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast);
  };
  const at::Tensor x = of({batch, shape.in, shape.size, shape.size});
  const at::Tensor weight = of({shape.out, shape.in, shape.kernel, shape.kernel});
  const at::Tensor of_y =
      of({batch, shape.out, shape.size / shape.stride, shape.size / shape.stride});
  const auto by_kernel = [&] {
    std::get<1>(at::convolution_backward(of_y, x, weight, {}, {steps.stride, steps.stride},
                                         {steps.padding, steps.padding}, {1, 1}, false, {0, 0}, 1,
                                         std::array<bool, 3>{false, true, false}))
        .to(at::kFloat);
  };
  const auto by_product = [&] { weight_gradient(of_y, x, shape.kernel, steps).to(at::kFloat); };
  std::vector<double> kernel, product;
  for (int round = -1; round < rounds; ++round) {  // the first is to warm up
    const double first = milliseconds(by_kernel), second = milliseconds(by_product);
    if (round < 0) continue;
    kernel.push_back(first);
    product.push_back(second);
  }
  return {statistics::median(kernel), statistics::median(product)};
}

void run(std::int64_t batch, std::int64_t image_size, int rounds) {
  double all = 0, chosen = 0, best = 0;
  std::printf("in -> out, input, kernel, stride    n   kernel ms  product ms   ratio\n");
  for (const auto& [shape, count] : convolutions_of_resnet50(image_size)) {
    const Times times = measure(shape, batch, rounds);
    const auto like = at::empty({shape.out, shape.in, shape.kernel, shape.kernel});
    const auto x = at::empty({batch, shape.in, shape.size, shape.size});
    const bool product = product_is_faster(x, like, {shape.stride, shape.kernel / 2});
    std::printf("%4ld -> %4ld, %3ld px, k%ld s%ld %15d %11.2f %11.2f %7.2f%s\n", shape.in,
                shape.out, shape.size, shape.kernel, shape.stride, count, times.kernel,
                times.product, times.kernel / times.product, product ? "  product" : "");
    all += count * times.kernel;
    chosen += count * (product ? times.product : times.kernel);
    best += count * std::min(times.kernel, times.product);
  }
  std::printf("a step: %.1f ms by oneDNN, %.1f ms as chosen, %.1f ms at best\n", all, chosen, best);
}

}  // namespace
}  // namespace scalemark::workloads

int scalemark::commands::weight_gradient_bench(int count, char** arguments) {
  const auto number = [&](int i, int standard) {
    return count > i ? std::stoi(arguments[i]) : standard;
  };
  const at::NoGradGuard no_grad;
  at::set_num_threads(number(3, 2));
  scalemark::workloads::run(number(1, 8), number(2, 224), number(4, 9));
  return 0;
}
