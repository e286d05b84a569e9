#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/workloads/shallow_resnet.h"
#include "workloads/weights/weights.h"

namespace scalemark::workloads {
namespace {

const std::vector<std::string> kBlocks = [] {
  std::vector<std::string> names;
  for (std::size_t stage = 0; stage < kShallowStages.size(); ++stage) {
    for (int block = 0; block < kShallowStages[stage]; ++block) {
      names.push_back("layer" + std::to_string(stage + 1) + "." + std::to_string(block));
    }
  }
  return names;
}();

std::unique_ptr<Network> network_with(double stochastic_depth) {
  at::set_num_threads(1);
  at::manual_seed(1);
  return make_shallow_resnet({.shape = {.classes = 10}, .stochastic_depth = stochastic_depth});
}

data::Batch tiny_batch() {
  at::manual_seed(2);
  return {.tensors = {{"image", at::randint(256, {2, 32, 32, 3}, at::kByte)},
                      {"label", at::randint(10, {2}, at::kLong)}},
          .samples = 2};
}

std::vector<at::Tensor> running_means(Network& network) {
  const auto state = named_state(network);
  std::vector<at::Tensor> found;
  for (const std::string& block : kBlocks) {
    found.push_back(state.at(block + ".bn1.running_mean").clone());
  }
  return found;
}

// A batch norm of the branch sees every batch that does not skip it.
TEST(StochasticDepth, SkipsMoreWithDepthAndEachBlockByItself) {
  constexpr int kBatches = 100;
  const auto network = network_with(0.6);
  const auto batch = tiny_batch();
  std::vector<int> skipped(kBlocks.size(), 0);
  int alike = 0;
  const at::NoGradGuard no_grad;
  for (int i = 0; i < kBatches; ++i) {
    const auto before = running_means(*network);
    network->loss(batch);
    const auto after = running_means(*network);
    std::vector<bool> skips;
    for (std::size_t b = 0; b < kBlocks.size(); ++b) {
      skips.push_back(at::equal(before[b], after[b]));
      skipped[b] += skips[b];
    }
    alike += skips.back() == skips[skips.size() - 2];
  }
  for (std::size_t b = 0; b < kBlocks.size(); ++b) {
    const double share = 0.6 * static_cast<double>(b + 1) / static_cast<double>(kBlocks.size());
    const double deviation = std::sqrt(kBatches * share * (1 - share));
    EXPECT_NEAR(skipped[b], kBatches * share, 4 * deviation) << kBlocks[b];
  }
  EXPECT_GT(alike, 25);  // 50 expected of two that draw by themselves
  EXPECT_LT(alike, 77);
}

TEST(StochasticDepth, SkippedBranchesHaveNoGradient) {
  const auto network = network_with(0.9);
  at::manual_seed(4);
  network->loss(tiny_batch()).backward();
  std::size_t without = 0;
  for (const auto& item : network->module().named_parameters()) {
    const bool of_branch = item.key().find(".conv") != std::string::npos ||
                           item.key().find(".bn") != std::string::npos;
    if (item.value().grad().defined()) continue;
    EXPECT_TRUE(of_branch) << item.key();
    ++without;
  }
  EXPECT_GT(without, 0u);
  EXPECT_EQ(without % 9, 0u);  // three convolutions and three norms with two each
}

TEST(StochasticDepth, EvaluationUsesEveryBlockUnscaled) {
  const auto batch = tiny_batch();
  std::vector<at::Tensor> losses;
  for (const double share : {0.0, 0.9}) {
    const auto network = network_with(share);
    network->module().eval();
    const at::NoGradGuard no_grad;
    losses.push_back(network->evaluate(batch).loss);
  }
  EXPECT_TRUE(at::equal(losses[0], losses[1]));
}

TEST(StochasticDepth, NoneDrawsNothing) {
  const auto network = network_with(0);
  const auto batch = tiny_batch();
  at::manual_seed(7);
  const auto expected = at::randint(1000, {3});
  at::manual_seed(7);
  network->loss(batch);
  EXPECT_TRUE(at::equal(at::randint(1000, {3}), expected));
}

}  // namespace
}  // namespace scalemark::workloads
