// The CUDA kernels of LAMB, compiled as C++, against its formula in float64 on the same inputs:
// tensors of all sizes, more of them than a launch takes, at any address.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/lamb/operators.h"
#include "engine/cuda/lamb/passes.cuh"
#include "engine/step/lamb_passes.h"
#include "shim_runtime.h"

TORCH_LIBRARY_IMPL(scalemark, CPU, library) {
  scalemark::cuda::register_lamb_operators<scalemark::cuda::ShimRuntime>(library);
}

namespace scalemark::cuda {
namespace {

using training::GradientTerms;
using training::LearningRate;
using training::ParameterLists;
using Sizes = std::vector<std::int64_t>;
using Rule = training::LambRule;
using Operators = training::LambOperators;
using Many = std::vector<at::Tensor>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Rule kRule{.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .weight_decay = 0.01};
constexpr double kSteps = 7;
// One element, ends of fours, ends of chunks, several chunks.
const Sizes kSizes = {1, 2, 3, 4, 5, 1023, 16384, 16385, 40003};

struct Step {
  Rule rule = kRule;
  GradientTerms terms;
  LearningRate rate = 0.1;
  bool with_ratios = true;
};

// In the middle of a training.
ParameterLists random_lists(const Sizes& sizes, at::ScalarType type) {
  at::manual_seed(3);
  ParameterLists lists;
  for (const std::int64_t size : sizes) {
    const auto random = [&] { return at::randn({size}, at::kDouble); };
    lists.parameters.push_back(random().to(type));
    lists.gradients.push_back(random().to(type));
    lists.state[Operators::kMean].push_back((random() * 0.1).to(type));
    lists.state[Operators::kMeanSquare].push_back(
        (at::rand({size}, at::kDouble) * 0.01 + 1e-5).to(type));
  }
  lists.copies.resize(sizes.size());
  return lists;
}

// All tensors of the lists, in memory of their own.
ParameterLists copy_of(const ParameterLists& lists) {
  ParameterLists copy = lists;
  for (auto* list : {&copy.parameters, &copy.gradients, &copy.state[0], &copy.state[1]}) {
    for (at::Tensor& tensor : *list) tensor = tensor.clone();
  }
  return copy;
}

// The norms, if there are trust ratios.
at::Tensor run(const ParameterLists& lists, const Step& step) {
  const at::Tensor numbers =
      Operators::numbers(at::full({}, kSteps, at::kDouble), step.terms, step.rate, step.rule);
  const Operators operators(lists, numbers, step.rule);
  const at::Tensor norms = operators.update_moments(step.with_ratios);
  operators.apply(norms);
  return norms;
}

at::Tensor run_on_fibres(const ParameterLists& lists, const Step& step) {
  const cuda_shim::OnFibres fibres;
  return run(lists, step);
}

struct Exact {
  Many parameters, means, mean_squares;
  at::Tensor norms;
};

// The formula, in float64, after `lists` as they were.
Exact exact_step(const ParameterLists& lists, const Step& step, double divisor, double rate) {
  Exact exact;
  Many of_parameters, of_directions;
  const Rule& rule = step.rule;
  const auto at_double = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
  for (std::size_t i = 0; i < lists.parameters.size(); ++i) {
    const auto x = at_double(lists.parameters[i]), g = at_double(lists.gradients[i]) / divisor;
    const auto m = at_double(lists.state[0][i]) * rule.beta1 + g * (1 - rule.beta1);
    const auto v = at_double(lists.state[1][i]) * rule.beta2 + g * g * (1 - rule.beta2);
    const auto mean = m / (1 - std::pow(rule.beta1, kSteps));
    const auto mean_square = v / (1 - std::pow(rule.beta2, kSteps));
    const auto u = mean / (mean_square.sqrt() + rule.eps) + rule.weight_decay * x;
    const auto weight = x.norm(), update = u.norm();
    const bool has_ratio =
        step.with_ratios && weight.item<double>() > 0 && update.item<double>() > 0;
    const double ratio = has_ratio ? (weight / update).item<double>() : 1;
    exact.parameters.push_back(x - rate * ratio * u);
    exact.means.push_back(m);
    exact.mean_squares.push_back(v);
    of_parameters.push_back(weight);
    of_directions.push_back(update);
  }
  exact.norms = at::stack({at::stack(of_parameters), at::stack(of_directions)});
  return exact;
}

// Relative to the largest element.
void expect_near(const at::Tensor& found, const at::Tensor& exact, double allowed,
                 const std::string& what) {
  if (exact.numel() == 0) return;
  const double largest = exact.abs().max().item<double>();
  const double apart = (found.to(at::kDouble) - exact).abs().max().item<double>();
  EXPECT_LE(apart, allowed * largest)
      << what << " of " << exact.numel() << ", " << found.toString();
}

double allowed_in(at::ScalarType type) { return type == at::kDouble ? 1e-14 : 1e-6; }

void expect_step(const Sizes& sizes, at::ScalarType type, const Step& step, double divisor = 1,
                 double rate = 0.1) {
  const ParameterLists lists = random_lists(sizes, type);
  const Exact exact = exact_step(lists, step, divisor, rate);
  const at::Tensor norms = run_on_fibres(lists, step);
  const double allowed = allowed_in(type);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    expect_near(lists.state[0][i], exact.means[i], allowed, "mean");
    expect_near(lists.state[1][i], exact.mean_squares[i], allowed, "mean square");
    expect_near(lists.parameters[i], exact.parameters[i], allowed, "parameter");
  }
  EXPECT_EQ(norms.defined(), step.with_ratios);
  if (!step.with_ratios) return;
  EXPECT_EQ(norms.scalar_type(), at::kDouble);
  const auto apart = ((norms - exact.norms).abs() / exact.norms.clamp_min(1e-300)).max();
  EXPECT_LE(apart.item<double>(), allowed) << "norms";
}

void expect_same_bits(const ParameterLists& found, const ParameterLists& expected) {
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto size = std::to_string(found.parameters[i].numel());
    EXPECT_TRUE(at::equal(found.parameters[i], expected.parameters[i])) << "parameter of " << size;
    EXPECT_TRUE(at::equal(found.state[0][i], expected.state[0][i])) << "mean of " << size;
    EXPECT_TRUE(at::equal(found.state[1][i], expected.state[1][i])) << "mean square of " << size;
  }
}

TEST(LambOnCuda, EqualsItsFormulaWithinItsRounding) {
  for (const auto type : {at::kDouble, at::kFloat}) {
    expect_step(kSizes, type, {});
    expect_step(kSizes, type, {.with_ratios = false});
  }
}

TEST(LambOnCuda, TakesMoreTensorsThanALaunch) {
  Sizes sizes;
  for (std::int64_t i = 0; i < 2 * kTensorsOfALaunch + 3; ++i) sizes.push_back(1 + i % 7);
  sizes[300] = 20000;  // the second launch has a tensor of several chunks
  const int before = cuda_shim::launches();
  for (const auto type : {at::kDouble, at::kFloat}) expect_step(sizes, type, {});
  EXPECT_EQ(cuda_shim::launches() - before, 2 * (1 + 3 * 3));
}

TEST(LambOnCuda, TakesEmptyTensors) { expect_step({0, 5, 0, 0, 3, 0}, at::kDouble, {}); }

TEST(LambOnCuda, GoesWithoutWeightDecayAndWithoutEps) {
  Rule rule = kRule;
  rule.weight_decay = 0;
  for (const auto type : {at::kDouble, at::kFloat}) expect_step(kSizes, type, {.rule = rule});
  rule.eps = 0;  // values behind the end of a chunk must not make a norm 0 / 0
  for (const auto type : {at::kDouble, at::kFloat}) expect_step(kSizes, type, {.rule = rule});
}

TEST(LambOnCuda, DividesGradientsAndTakesTheRateFromTheDevice) {
  for (const auto type : {at::kDouble, at::kFloat}) {
    for (const auto of_number : {at::kDouble, at::kFloat}) {
      const Step step{.terms = {.found_inf = at::zeros({1}), .divisor = at::full({}, 4, of_number)},
                      .rate = LearningRate(at::full({}, 0.25, of_number))};
      expect_step({5, 16385}, type, step, 4, 0.25);
    }
  }
}

TEST(LambOnCuda, ASkippedStepChangesNothing) {
  ParameterLists lists = random_lists(kSizes, at::kFloat);
  for (at::Tensor& gradient : lists.gradients) gradient.fill_(kNan);
  const ParameterLists before = copy_of(lists);
  const auto norms =
      run_on_fibres(lists, {.terms = {.found_inf = at::ones({1}), .divisor = at::full({}, kNan)}});
  expect_same_bits(lists, before);
  EXPECT_TRUE(norms.eq(0).all().item<bool>());
}

// The correction of step 0 is none.
TEST(LambOnCuda, TheFirstStepMayBeSkipped) {
  ParameterLists lists = random_lists({5, 300}, at::kFloat);
  for (auto* list : {&lists.state[0], &lists.state[1]}) {
    for (at::Tensor& moment : *list) moment.zero_();
  }
  const ParameterLists before = copy_of(lists);
  const cuda_shim::OnFibres fibres;
  const auto numbers =
      Operators::numbers(at::zeros({}, at::kDouble), {.found_inf = at::ones({1})}, 0.1, kRule);
  const Operators operators(lists, numbers, kRule);
  operators.apply(operators.update_moments(true));
  expect_same_bits(lists, before);
}

TEST(LambOnCuda, TrustRatiosAreOneWhereANormIsZero) {
  ParameterLists lists = random_lists({1000, 1000}, at::kDouble);
  lists.parameters[0].zero_();
  lists.gradients[1].zero_();
  lists.state[0][1].zero_();
  Step step;
  step.rule.weight_decay = 0;
  const Exact exact = exact_step(lists, step, 1, 0.1);
  const at::Tensor unmoved = lists.parameters[1].clone();
  const at::Tensor norms = run_on_fibres(lists, step);
  EXPECT_EQ(norms[0][0].item<double>(), 0);
  EXPECT_EQ(norms[1][1].item<double>(), 0);
  expect_near(lists.parameters[0], exact.parameters[0], 1e-14, "parameter");
  EXPECT_TRUE(at::equal(lists.parameters[1], unmoved));
}

// A CPU loads from any address; a GPU does not.
TEST(LambOnCuda, TakesFoursOnlyWhereTheyLie) {
  alignas(sizeof(Four<float>)) float array[8] = {};
  EXPECT_TRUE(lie_by_fours<float>({array, nullptr, array + 4}));
  for (const int off : {1, 2, 3}) EXPECT_FALSE(lie_by_fours<float>({array, array + off})) << off;
  const auto* const halves = reinterpret_cast<const c10::Half*>(array);
  EXPECT_TRUE(lie_by_fours<c10::Half>({halves + 4}));
  EXPECT_FALSE(lie_by_fours<c10::Half>({halves + 2}));
}

// Each list in turn lies off the addresses that four elements are loaded from at once.
TEST(LambOnCuda, GivesTheSameBitsAtAnyAddress) {
  const ParameterLists before = random_lists({4, 7, 1024, 16390}, at::kFloat);
  const ParameterLists expected = copy_of(before);
  const at::Tensor norms = run_on_fibres(expected, {});
  for (int odd = 0; odd < 4; ++odd) {
    ParameterLists lists = copy_of(before);
    Many* const all[] = {&lists.parameters, &lists.gradients, &lists.state[0], &lists.state[1]};
    for (at::Tensor& tensor : *all[odd]) {
      tensor = at::cat({at::zeros({1}), tensor}).narrow(0, 1, tensor.numel());
    }
    EXPECT_TRUE(at::equal(run_on_fibres(lists, {}), norms)) << odd;
    expect_same_bits(lists, expected);
  }
}

TEST(LambOnCuda, RepeatsBitByBitInEveryOrderOfBlocks) {
  const ParameterLists before = random_lists({40003, 5, 20000, 1}, at::kFloat);
  const ParameterLists expected = copy_of(before);
  const at::Tensor norms = run_on_fibres(expected, {});
  for (unsigned seed = 0; seed < 5; ++seed) {
    cuda_shim::shuffle_blocks(seed);
    const ParameterLists lists = copy_of(before);
    EXPECT_TRUE(at::equal(run_on_fibres(lists, {}), norms)) << seed;
    expect_same_bits(lists, expected);
  }
  cuda_shim::shuffle_blocks({});
}

// Threads of the CPU, whose interleavings vary: a missing barrier would show.
TEST(LambOnCuda, RepeatsBitByBitOnRealThreads) {
  const ParameterLists before = random_lists({20000, 5}, at::kFloat);
  const ParameterLists expected = copy_of(before), lists = copy_of(before);
  const at::Tensor norms = run_on_fibres(expected, {});
  EXPECT_TRUE(at::equal(run(lists, {}), norms));
  expect_same_bits(lists, expected);
}

// A copy of every second parameter, `offset` elements behind an address for fours.
std::vector<workloads::WeightCopy> copies_of(ParameterLists& lists, at::ScalarType type,
                                             std::int64_t offset) {
  std::vector<workloads::WeightCopy> copies(lists.parameters.size());
  for (std::size_t i = 0; i < copies.size(); i += 2) {
    const std::int64_t size = lists.parameters[i].numel();
    copies[i].weight = lists.parameters[i];
    copies[i].copy = at::full({size + offset}, 77, type).narrow(0, offset, size);
    lists.copies[i] = &copies[i];
  }
  return copies;
}

TEST(LambOnCuda, WritesCopiesAsTheyAreRounded) {
  for (const auto type : {at::kHalf, at::kBFloat16}) {
    for (const std::int64_t offset : {0, 1}) {
      for (const bool skipped : {false, true}) {
        ParameterLists lists = random_lists({5, 7, 16390, 4}, at::kFloat);
        const ParameterLists expected = copy_of(lists);
        auto copies = copies_of(lists, type, offset);
        const GradientTerms terms{.found_inf = at::full({1}, skipped ? 1.0 : 0.0, at::kFloat)};
        run_on_fibres(expected, {.terms = terms});
        run_on_fibres(lists, {.terms = terms});
        expect_same_bits(lists, expected);
        for (const std::size_t i : {0u, 2u}) {
          EXPECT_TRUE(at::equal(copies[i].copy, lists.parameters[i].to(type))) << i << skipped;
          EXPECT_TRUE(copies[i].is_current);
        }
        EXPECT_FALSE(copies[1].is_current);
      }
    }
  }
}

// They are brought up to date by others then.
TEST(LambOnCuda, LeavesCopiesOfAnotherLayoutAlone) {
  ParameterLists lists = random_lists({24}, at::kFloat);
  for (auto* list : {&lists.parameters, &lists.gradients, &lists.state[0], &lists.state[1]}) {
    list->front() = list->front().view({4, 6});
  }
  workloads::WeightCopy copy{.weight = lists.parameters[0],
                             .copy = at::ones({6, 4}, at::kBFloat16).t()};
  lists.copies[0] = &copy;
  run_on_fibres(lists, {});
  EXPECT_FALSE(copy.is_current);
  EXPECT_TRUE(copy.copy.eq(1).all().item<bool>());
}

TEST(LambOnCuda, ServesDenseTensorsInOneLayout) {
  ParameterLists lists;
  const auto ones = [](at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
    return at::ones(sizes, type);
  };
  const auto fill = [&](const at::Tensor& tensor) {
    lists.parameters = lists.gradients = lists.state[0] = lists.state[1] = {tensor};
    lists.copies = {nullptr};
  };
  fill(ones({4, 6}));
  EXPECT_TRUE(Operators::serve(lists));
  lists.gradients = {ones({6, 4}).t()};
  EXPECT_FALSE(Operators::serve(lists)) << "another layout";
  lists.gradients = {ones({4, 6}, at::kBFloat16)};
  EXPECT_FALSE(Operators::serve(lists)) << "another type";
  fill(ones({4, 12}).narrow(1, 0, 6));
  EXPECT_FALSE(Operators::serve(lists)) << "not dense";
  fill(ones({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(Operators::serve(lists)) << "channels-last";
  fill(ones({4, 6}, at::kHalf));
  EXPECT_FALSE(Operators::serve(lists));
}

}  // namespace
}  // namespace scalemark::cuda
