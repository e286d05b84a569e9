// BERT with our own nodes against BERT with ATen's operators.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "workloads/networks/network.h"
#include "workloads/weights/weights.h"

namespace scalemark::workloads {
namespace {

struct BertRun {
  bool fused = true;
  double dropout = 0;
  at::ScalarType type = at::kDouble;
  bool autocast = false;
  bool padded = false;
  int steps = 1;
  int threads = 1;
  std::uint64_t seed = 1;
};

struct Course {
  std::vector<double> losses;
  std::map<std::string, at::Tensor> gradients;  // float64; the last step left them
};

data::Batch sentences(std::uint64_t seed, bool padded) {
  at::manual_seed(seed);
  const auto ids = at::randint(1, 300, {3, 40}, at::kLong);
  auto real = at::ones_like(ids);
  if (padded) real.select(0, 1).narrow(0, 30, 10).zero_();
  return {.tensors = {{"input_ids", ids * real},
                      {"token_type_ids", at::zeros_like(ids)},
                      {"attention_mask", real},
                      {"masked_positions", at::randint(120, {9}, at::kLong)},
                      {"masked_labels", at::randint(300, {9}, at::kLong)},
                      {"next_sentence_label", at::randint(2, {3}, at::kLong)}},
          .samples = 3,
          .non_pad_tokens = padded ? 110 : 120};
}

at::Tensor loss_under(bool autocast, Network& network, const data::Batch& batch) {
  at::autocast::set_autocast_enabled(at::kCPU, autocast);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  auto loss = network.loss(batch);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  return loss;
}

Course trained(const BertRun& run) {
  at::set_num_threads(run.threads);
  at::manual_seed(7);
  const auto network = make_network(
      "bert-mini",
      {.shape = {.vocab_size = 300}, .dropout = run.dropout, .fused_layers = run.fused});
  network->module().to(run.type);
  Course course;
  for (int step = 0; step < run.steps; ++step) {
    const auto batch = sentences(100 + static_cast<std::uint64_t>(step), run.padded);
    at::manual_seed(run.seed + static_cast<std::uint64_t>(step));
    const auto loss = loss_under(run.autocast, *network, batch);
    course.losses.push_back(loss.item<double>());
    loss.backward();
    const at::NoGradGuard no_grad;
    for (const auto& item : network->module().named_parameters()) {
      auto& gradient = item.value().mutable_grad();
      course.gradients[item.key()] = gradient.to(at::kDouble, false, /*copy=*/true);
      item.value().sub_(gradient, 0.05);
      gradient.reset();
    }
  }
  at::set_num_threads(1);
  return course;
}

double norm_of_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>();
}

TEST(FusedBert, TrainsAsThePlainOneInFloat64) {
  for (const bool padded : {false, true}) {
    const Course fused = trained({.padded = padded, .steps = 5});
    const Course plain = trained({.fused = false, .padded = padded, .steps = 5});
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(fused.losses[i], plain.losses[i], 1e-12 * plain.losses[i]) << i;
    }
    ASSERT_EQ(fused.gradients.size(), plain.gradients.size());
    for (const auto& [name, gradient] : plain.gradients) {
      // The loss does not depend on a key's bias: its gradient is rounding.
      EXPECT_LE(norm_of_difference(fused.gradients.at(name), gradient),
                1e-10 * gradient.norm().item<double>() + 1e-15)
          << name;
    }
  }
}

// Errors against the plain network in float64, both together: of one path the rounding may happen
// to be luckier.
double error_of(const BertRun& run, const Course& exact) {
  const Course course = trained(run);
  double square = 0, all = 0;
  for (const auto& [name, gradient] : exact.gradients) {
    square += std::pow(norm_of_difference(course.gradients.at(name), gradient), 2);
    all += std::pow(gradient.norm().item<double>(), 2);
  }
  return std::sqrt(square / all);
}

TEST(FusedBert, IsAsNearToFloat64AsThePlainOne) {
  const Course exact = trained({.fused = false});
  for (const bool autocast : {false, true}) {
    const double fused = error_of({.type = at::kFloat, .autocast = autocast}, exact);
    const double plain =
        error_of({.fused = false, .type = at::kFloat, .autocast = autocast}, exact);
    RecordProperty(autocast ? "fused_bf16" : "fused_fp32", std::to_string(fused));
    EXPECT_LE(fused, 1.1 * plain) << "autocast " << autocast;
    EXPECT_LE(fused, autocast ? 0.05 : 5e-6) << "autocast " << autocast;
  }
}

TEST(FusedBert, ASeedDecidesItsMasksAtAnyNumberOfThreads) {
  const Course first = trained({.dropout = 0.1, .steps = 2});
  EXPECT_EQ(first.losses, trained({.dropout = 0.1, .steps = 2}).losses);
  const Course threaded = trained({.dropout = 0.1, .steps = 2, .threads = 2});
  EXPECT_NEAR(first.losses[1], threaded.losses[1], 1e-12 * first.losses[1]);
  EXPECT_NE(first.losses, trained({.dropout = 0.1, .steps = 2, .seed = 2}).losses);
  for (const auto& [name, gradient] : first.gradients) {
    EXPECT_LE(norm_of_difference(threaded.gradients.at(name), gradient),
              1e-10 * gradient.norm().item<double>() + 1e-15)
        << name;
  }
}

TEST(FusedBert, RepeatsBitByBit) {
  for (const bool autocast : {false, true}) {
    const BertRun run{.dropout = 0.1, .type = at::kFloat, .autocast = autocast, .steps = 3};
    const Course first = trained(run), second = trained(run);
    EXPECT_EQ(first.losses, second.losses);
    for (const auto& [name, gradient] : first.gradients) {
      EXPECT_TRUE(at::equal(gradient, second.gradients.at(name))) << name;
    }
  }
}

// Over many masks both have the same mean loss: 5 standard errors of the difference apart at most.
TEST(FusedBert, DropsAsMuchAsThePlainOne) {
  struct Moments {
    double mean, error;
  };
  const auto moments = [](bool fused) {
    constexpr int kDraws = 40;
    std::vector<double> losses;
    for (int i = 0; i < kDraws; ++i) {
      losses.push_back(trained({.fused = fused,
                                .dropout = 0.3,
                                .type = at::kFloat,
                                .seed = 1000 + static_cast<std::uint64_t>(i)})
                           .losses[0]);
    }
    double mean = 0, square = 0;
    for (const double loss : losses) mean += loss / kDraws;
    for (const double loss : losses) square += (loss - mean) * (loss - mean) / (kDraws - 1);
    return Moments{mean, std::sqrt(square / kDraws)};
  };
  const Moments fused = moments(true), plain = moments(false);
  EXPECT_NEAR(fused.mean, plain.mean, 5 * std::hypot(fused.error, plain.error));
  EXPECT_LT(fused.error, 3 * plain.error);
  EXPECT_GT(fused.error, plain.error / 3);
}

}  // namespace
}  // namespace scalemark::workloads
