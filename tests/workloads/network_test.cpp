#include "workloads/networks/network.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/all.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "engine/device/torch_defaults.h"
#include "tests/workloads/shallow_resnet.h"
#include "workloads/layers/attention.h"
#include "workloads/networks/encoder_layer.h"
#include "workloads/networks/resnet50.h"
#include "workloads/weights/weights.h"
#include "workloads/weights/weights_file.h"

namespace scalemark::workloads {
namespace {

at::Tensor longs(const std::vector<std::int64_t>& values) { return at::tensor(values); }

at::Tensor floats(const std::vector<float>& values) { return at::tensor(values); }

data::Batch text_batch(std::int64_t samples, std::int64_t length, std::int64_t vocab) {
  const auto ids = at::randint(1, vocab, {samples, length}, at::kLong);
  return {.tensors = {{"input_ids", ids},
                      {"token_type_ids", at::zeros_like(ids)},
                      {"attention_mask", at::ones_like(ids)},
                      {"masked_positions", longs({3, 11, length + 2})},
                      {"masked_labels", longs({5, 6, 7})},
                      {"next_sentence_label", at::randint(2, {samples}, at::kLong)}},
          .samples = samples,
          .non_pad_tokens = samples * length};
}

data::Batch batch_for(const std::string& workload, std::int64_t samples = 2) {
  if (workload.starts_with("bert")) return text_batch(samples, 16, 300);
  const auto labels = at::randint(10, {samples}, at::kLong);
  if (workload == "resnet50") {
    return {.tensors = {{"image", at::randint(256, {samples, 40, 40, 3}, at::kByte)},
                        {"label", labels}},
            .samples = samples};
  }
  return {.tensors = {{"features", at::rand({samples, workload == "mlp" ? 1024 : 1000})},
                      {"label", labels}},
          .samples = samples};
}

std::unique_ptr<Network> make(const std::string& workload) {
  at::set_num_threads(1);  // tests run beside each other: threads that wait for a core spin
  at::manual_seed(1);
  return make_network(workload, {.shape = {.classes = 10, .vocab_size = 300}});
}

class EachNetwork : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Networks, EachNetwork,
                         ::testing::Values("linear", "mlp", "resnet50", "bert-mini"),
                         [](const auto& named) {
                           return named.param == "bert-mini" ? "bert_mini" : named.param;
                         });

TEST_P(EachNetwork, HasTheCataloguesParameters) {
  const auto network = make(GetParam());
  std::int64_t count = 0;
  for (const auto& parameter : network->module().parameters()) count += parameter.numel();
  EXPECT_EQ(count,
            catalogue::find_workload(GetParam())->parameters({.classes = 10, .vocab_size = 300}));
}

TEST_P(EachNetwork, StartsNearChanceAndGivesEveryParameterAGradient) {
  const auto network = make(GetParam());
  const auto loss = network->loss(batch_for(GetParam()));
  const double chance = GetParam() == "bert-mini" ? std::log(300) + std::log(2) : std::log(10);
  EXPECT_NEAR(loss.item<double>(), chance, 1);
  loss.backward();
  for (const auto& item : network->module().named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
  }
}

TEST_P(EachNetwork, RunsUnderAutocastAsPyTorchDoes) {
  const auto network = make(GetParam());
  const auto batch = batch_for(GetParam(), 4);
  network->module().eval();
  const double exact = network->loss(batch).item<double>();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const auto loss = network->loss(batch);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_EQ(loss.scalar_type(), at::kFloat);
  EXPECT_NEAR(loss.item<double>(), exact, 0.05);
  EXPECT_NE(loss.item<double>(), exact);
  loss.backward();
  for (const auto& parameter : network->module().parameters()) {
    EXPECT_EQ(parameter.grad().scalar_type(), at::kFloat);
  }
}

TEST_P(EachNetwork, EvaluationIsTheLossOverTheItems) {
  const auto network = make(GetParam());
  const auto batch = batch_for(GetParam(), 2);
  network->module().eval();
  const at::NoGradGuard no_grad;
  const EvaluationSums sums = network->evaluate(batch);
  EXPECT_EQ(sums.loss.scalar_type(), at::kDouble);
  EXPECT_EQ(sums.items.item<std::int64_t>(), GetParam() == "bert-mini" ? 3 : 2);
  EXPECT_NEAR(sums.loss.item<double>() / sums.items.item<double>(),
              network->loss(batch).item<double>(), 1e-5);
}

TEST_P(EachNetwork, EvaluationLeavesPaddingOut) {
  const auto network = make(GetParam());
  auto batch = batch_for(GetParam(), 2);
  network->module().eval();
  const at::NoGradGuard no_grad;
  const double both = network->evaluate(batch).loss.item<double>();
  batch.padding = 1;
  const EvaluationSums first = network->evaluate(batch);
  EXPECT_EQ(first.items.item<std::int64_t>(), GetParam() == "bert-mini" ? 2 : 1);
  EXPECT_LT(first.loss.item<double>(), both);
  batch.padding = 2;
  const EvaluationSums none = network->evaluate(batch);
  EXPECT_EQ(none.items.item<std::int64_t>(), 0);
  EXPECT_EQ(none.loss.item<double>(), 0);
}

// Rows that only fill the list of masked positions up, as on a GPU: nothing may depend on them.
TEST(Bert, RowsWithoutALabelChangeNoLossAndNoGradient) {
  const auto losses_of = [](const data::Batch& batch) {
    const auto network = make_network("bert-mini", {.shape = {.vocab_size = 300}, .dropout = 0.0});
    network->module().to(at::kDouble);
    auto loss = network->loss(batch);
    loss.backward();
    std::vector<at::Tensor> results{loss.detach()};
    for (const auto& parameter : network->module().parameters())
      results.push_back(parameter.grad());
    network->module().eval();
    const at::NoGradGuard no_grad;
    const EvaluationSums sums = network->evaluate(batch);
    results.insert(results.end(), {sums.loss, sums.correct, sums.items});
    return results;
  };
  at::set_num_threads(1);
  at::manual_seed(3);
  auto batch = text_batch(2, 16, 300);
  at::manual_seed(1);
  const auto exact = losses_of(batch);
  const auto fill = [](const at::Tensor& list, std::int64_t value) {
    return at::cat({list, at::full({61}, value, at::kLong)});
  };
  batch.tensors["masked_positions"] = fill(batch["masked_positions"], 0);
  batch.tensors["masked_labels"] = fill(batch["masked_labels"], -100);
  at::manual_seed(1);
  const auto filled = losses_of(batch);
  ASSERT_EQ(filled.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_TRUE(at::allclose(filled[i], exact[i], 1e-13, 1e-15)) << "result " << i;
  }
}

// Torch's own table for a CPU, where flash has no dropout: that is ours, unless layers are plain.
TEST(Bert, NamesTheAttentionThatItUses) {
  const auto backends_of = [](double dropout, bool padded, bool fused) {
    const auto network = make_network(
        "bert-mini", {.shape = {.vocab_size = 300}, .dropout = dropout, .fused_layers = fused});
    EXPECT_TRUE(network->attention_backends().empty());
    auto batch = text_batch(2, 16, 300);
    network->loss(batch);
    if (padded) {
      batch.tensors["attention_mask"].select(1, 15).zero_();
      batch.non_pad_tokens -= 2;
      network->loss(batch);
    }
    return network->attention_backends();
  };
  at::set_num_threads(1);
  using Names = std::vector<std::string>;
  EXPECT_EQ(backends_of(0.1, false, false), Names{"math"});
  EXPECT_EQ(backends_of(0.1, true, true), Names{"own"});
  for (const bool fused : {false, true}) {
    EXPECT_EQ(backends_of(0.0, false, fused), Names{"flash"});
    EXPECT_EQ(backends_of(0.0, true, fused), Names{"flash"});
  }
  EXPECT_TRUE(make("mlp")->attention_backends().empty());
}

TEST(Attention, CudnnIsNeverTriedWhateverTorchPutsFirst) {
  device::pin_attention_order();
  EXPECT_FALSE(at::globalContext().userEnabledCuDNNSDP());
  EXPECT_EQ(at::globalContext().sDPPriorityOrder().front(), at::SDPBackend::flash_attention);
}

TEST_P(EachNetwork, SavedAndLoadedIsTheSame) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("scalemark-net-" + GetParam());
  const auto network = make(GetParam());
  network->loss(batch_for(GetParam()));  // moves batch norm's buffers
  save_weights(*network, path);
  at::manual_seed(2);
  const auto other = make_network(GetParam(), {.shape = {.classes = 10, .vocab_size = 300}});
  load_weights(*other, path);
  const auto state = named_state(*network), loaded = named_state(*other);
  for (const auto& [name, tensor] : state) EXPECT_TRUE(at::equal(tensor, loaded.at(name))) << name;
  std::filesystem::remove(path);
}

TEST(Networks, CountsBatchesOnceForAllNorms) {
  const auto network = make("resnet50");
  network->loss(batch_for("resnet50"));
  network->loss(batch_for("resnet50"));
  const auto state = named_state(*network);
  EXPECT_EQ(state.at("bn1.num_batches_tracked").item<std::int64_t>(), 2);
  EXPECT_EQ(state.at("layer4.2.bn3.num_batches_tracked").item<std::int64_t>(), 2);
}

// Blocks with and without a convolution in their shortcut: tests of both train the shallow one.
TEST(Networks, TheShallowResNetHasEachKindOfBlockOfResNet50) {
  const auto has = [](const ResNetStages& stages, const std::string& name) {
    const auto network = make_resnet(stages, {.shape = {.classes = 10}});
    return network->module().named_parameters().contains(name);
  };
  for (const ResNetStages& stages : {kResNet50Stages, kShallowStages}) {
    EXPECT_TRUE(has(stages, "layer1.1.conv3.weight"));
    EXPECT_FALSE(has(stages, "layer1.1.downsample.0.weight"));
    EXPECT_TRUE(has(stages, "layer1.0.downsample.0.weight"));
    EXPECT_TRUE(has(stages, "layer4.0.downsample.0.weight"));
  }
  EXPECT_TRUE(has(kResNet50Stages, "layer4.2.conv3.weight"));
  EXPECT_FALSE(has(kShallowStages, "layer4.1.conv3.weight"));
}

// Images of the sizes around that at which the last stage has one pixel, against what the catalogue
// says before there is a network.
TEST(Networks, BatchNormOverOneValuePerChannelIsRefused) {
  const auto train = [](std::int64_t size, std::int64_t samples, bool fused) {
    const auto network = make_shallow_resnet(
        {.shape = {.classes = 10},
         .fused_layers = fused,
         .memory_format = fused ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous});
    const data::Batch batch{
        .tensors = {{"image", at::randint(256, {samples, size, size, 3}, at::kByte)},
                    {"label", at::randint(10, {samples}, at::kLong)}},
        .samples = samples};
    try {
      network->loss(batch);
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      network->module().eval();  // evaluation takes a single image, too
      EXPECT_TRUE(at::isfinite(network->loss(batch)).item<bool>());
      return false;
    }
    for (const auto& [name, tensor] : named_state(*network)) {
      EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << name;
    }
    return true;
  };
  const auto* workload = catalogue::find_workload("resnet50");
  for (const std::int64_t size : {1, 31, 32, 33}) {
    const auto least = catalogue::least_batch(*workload, {.image_size = size});
    for (const bool fused : {true, false}) {
      EXPECT_EQ(train(size, 1, fused), least <= 1) << size;
      EXPECT_TRUE(train(size, 2, fused)) << size;
    }
  }
}

TEST(Weights, WithANanAreNotSaved) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "scalemark-nan";
  const auto network = make("resnet50");
  for (const double bad : {std::nan(""), double{INFINITY}}) {
    const at::Tensor variance = named_state(*network).at("layer4.0.bn1.running_var");
    const at::Tensor before = variance.clone();
    variance.select(0, 3).fill_(bad);
    try {
      save_weights(*network, path);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kNumerics);
      EXPECT_NE(error.record().what.find("layer4.0.bn1.running_var"), std::string::npos);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    variance.copy_(before);
  }
  save_weights(*network, path);
  std::filesystem::remove(path);
}

// A checkpoint holds more than weights, of which an infinity may be a state.
TEST(Weights, OnlyThoseOfThePrefixMustBeFinite) {
  const at::Tensor nan = at::full({2}, std::nan(""));
  EXPECT_NO_THROW(
      require_finite({{"model.weight", at::ones({2})}, {"optimizer.weight", nan}}, "model."));
  EXPECT_NO_THROW(require_finite({{"model.count", longs({1})}}, "model."));
  EXPECT_THROW(require_finite({{"model.weight", nan}}, "model."), Error);
}

TEST(Networks, AnUnknownNameIsRefused) { EXPECT_THROW(make_network("resnet51", {}), Error); }

TEST(Networks, ATooLongSequenceIsRefused) {
  EXPECT_THROW(make("bert-mini")->loss(text_batch(2, 513, 300)), Error);
}

TEST(Networks, PaddingDoesNotReachRealTokens) {
  const auto network = make("bert-mini");
  network->module().to(at::kDouble);
  network->module().eval();
  const at::NoGradGuard no_grad;
  auto batch = text_batch(2, 16, 300);
  batch.tensors["attention_mask"].slice(1, 14).zero_();
  batch.tensors["masked_positions"] = longs({3, 11, 18});
  batch.non_pad_tokens = 28;
  const double before = network->loss(batch).item<double>();
  batch.tensors["input_ids"].slice(1, 14).fill_(9);
  EXPECT_NEAR(network->loss(batch).item<double>(), before, 1e-12);
  batch.tensors["input_ids"].slice(1, 13).fill_(9);
  EXPECT_NE(network->loss(batch).item<double>(), before);
}

TEST(Weights, OtherNetworksFilesAreRefusedByName) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "scalemark-other";
  save_weights(*make("mlp"), path);
  try {
    load_weights(*make("linear"), path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    EXPECT_NE(error.record().what.find("missing: bias, weight"), std::string::npos);
    EXPECT_NE(error.record().what.find("unexpected: fc1.bias"), std::string::npos);
  }
  std::filesystem::remove(path);
}

TEST(Weights, ShapesAndTypesAreChecked) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "scalemark-shape";
  const auto network = make("linear");
  const auto before = named_state(*network).at("bias").clone();
  for (const auto& bias : {at::zeros({11}), at::zeros({10}, at::kLong),
                           at::full({10}, 1e39, at::kDouble), at::full({10}, NAN)}) {
    write_safetensors(path, {{"bias", bias}, {"weight", at::zeros({10, 1000})}});
    EXPECT_THROW(load_weights(*network, path), Error);
    EXPECT_TRUE(at::equal(named_state(*network).at("bias"), before));
  }
  std::filesystem::remove(path);
}

TEST(WrappersPrefix, IsWhatAllNamesShare) {
  EXPECT_EQ(wrappers_prefix({"module.a", "module.b.c"}), "module.");
  EXPECT_EQ(wrappers_prefix({"_orig_mod.module.a", "_orig_mod.module.b"}), "_orig_mod.module.");
  EXPECT_EQ(wrappers_prefix({"module.a", "b"}), "");
  EXPECT_EQ(wrappers_prefix({"encoder.a", "encoder.b"}), "") << "no wrapper";
  EXPECT_EQ(wrappers_prefix({"module.module.a", "module.b"}), "module.");
  EXPECT_EQ(wrappers_prefix({"module."}), "") << "a name is left";
  EXPECT_EQ(wrappers_prefix({}), "");
}

TEST(NormaliseImages, IsOneValuePerByteAndChannel) {
  const auto image = longs({0, 128, 255, 255, 0, 1}).to(at::kByte).view({1, 1, 2, 3});
  const PixelStatistics statistics{.mean = {0.5, 0.25, 0}, .deviation = {0.5, 0.25, 2}};
  const auto out = normalise_images(image, statistics, at::kDouble);
  ASSERT_EQ(out.sizes(), (std::vector<std::int64_t>{1, 3, 1, 2}));
  EXPECT_DOUBLE_EQ(out.select(1, 0).flatten()[0].item<double>(), -1);
  EXPECT_DOUBLE_EQ(out.select(1, 0).flatten()[1].item<double>(), 1);
  EXPECT_DOUBLE_EQ(out.select(1, 1).flatten()[0].item<double>(), (128 / 255.0 - 0.25) / 0.25);
  EXPECT_DOUBLE_EQ(out.select(1, 2).flatten()[1].item<double>(), 1 / 255.0 / 2);
}

TEST(TiedEmbedding, AddsBothGradientsAndNoneForPadding) {
  auto table = at::ones({4, 2}).requires_grad_();
  const auto [rows, alias] = tied_embedding(table, longs({0, 2, 2}));
  (rows.sum() + 10 * alias.sum()).backward();
  const auto expected = floats({10.0F, 10.0F, 10.0F, 10.0F, 12.0F, 12.0F, 10.0F, 10.0F});
  EXPECT_TRUE(at::equal(table.grad().flatten(), expected));
}

TEST(TiedEmbedding, WorksWithoutADecoder) {
  auto table = at::ones({3, 1}).requires_grad_();
  tied_embedding(table, longs({1, 1, 0})).rows.sum().backward();
  EXPECT_TRUE(at::equal(table.grad().flatten(), floats({0.0F, 2.0F, 0.0F})));
}

}  // namespace
}  // namespace scalemark::workloads
