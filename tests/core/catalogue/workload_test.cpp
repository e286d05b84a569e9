#include "core/catalogue/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace scalemark::catalogue {
namespace {

const Workload& workload(std::string_view name) {
  const Workload* found = find_workload(name);
  if (found == nullptr) throw std::runtime_error("no workload " + std::string(name));
  return *found;
}

std::int64_t parameters(std::string_view name) {
  return workload(name).parameters(workload(name).default_shape);
}

double flops(std::string_view name, ModelShape shape = {}) {
  return workload(name).flops_per_sample(resolved_shape(workload(name), shape));
}

TEST(Catalogue, ParameterCountsAreThePublishedOnes) {
  EXPECT_EQ(parameters("resnet50"), 25'557'032);
  EXPECT_EQ(parameters("bert-base"), 110'106'428);
  EXPECT_EQ(parameters("bert-large"), 336'226'108);
  EXPECT_EQ(parameters("bert-mini"), 11'267'900);
  EXPECT_EQ(parameters("mlp"), 658'698);
  EXPECT_EQ(parameters("linear"), 10'010);
}

TEST(Catalogue, ParametersFollowTheClassesAndTheVocabulary) {
  EXPECT_EQ(workload("resnet50").parameters({.classes = 10}), 25'557'032 - 990 * 2049);
  EXPECT_EQ(workload("bert-base").parameters({.vocab_size = 30'000}), 110'106'428 - 522 * 769);
}

// 4.089 G multiply-adds forward at 224 px (torchvision's model page says 4.09 GFLOPS).
TEST(Catalogue, ResNetFlops) {
  EXPECT_NEAR(flops("resnet50"), 3 * 2 * 4'089'184'256.0 - 2 * 118'013'952.0, 1);
}

TEST(Catalogue, ResNetFlopsOfOddSizesGrowWithTheImage) {
  double before = 0;
  for (const std::int64_t size : {32, 33, 63, 64, 65, 128, 223, 224, 225}) {
    const double now = flops("resnet50", {.image_size = size});
    EXPECT_GE(now, before) << size;
    before = now;
  }
}

// Computed by hand for s = 128, m = 19: per layer 2 x 128 x (4 x 256^2 + 2 x 256 x 1024) + 4 x
// 128^2 x 256 = 218,103,808; MLM head 2 x 19 x (256^2 + 256 x 30522) = 299,408,384; pooler and NSP
// 132,096.
TEST(Catalogue, BertFlops) {
  EXPECT_DOUBLE_EQ(flops("bert-mini"), 3 * (4 * 218'103'808.0 + 299'408'384.0 + 132'096.0));
}

TEST(Catalogue, SmallFlops) {
  EXPECT_DOUBLE_EQ(flops("linear"), 40'000);
  EXPECT_DOUBLE_EQ(flops("mlp"), 2 * (2 * 524'288 + 3 * 131'072 + 3 * 2'560));
}

TEST(Catalogue, HalfTheElementKeepsAboutHalfTheBytes) {
  for (const Workload& w : all_workloads()) {
    const double full = w.activation_bytes_per_sample(w.default_shape, 4);
    const double half = w.activation_bytes_per_sample(w.default_shape, 2);
    EXPECT_GT(half / full, 0.45) << w.name;
    EXPECT_LT(half / full, 0.75) << w.name;
  }
}

TEST(Catalogue, CheckpointingKeepsLessWhereThereAreBlocks) {
  for (const Workload& w : all_workloads()) {
    const bool has_blocks = w.name == "resnet50" || w.name.starts_with("bert");
    EXPECT_EQ(static_cast<bool>(w.checkpointed_bytes), has_blocks) << w.name;
    if (!has_blocks) continue;
    for (const int element_bytes : {2, 4}) {
      const auto [kept, loss, block] = w.checkpointed_bytes(w.default_shape, element_bytes);
      EXPECT_LT(kept + std::max(loss, block),
                0.65 * w.activation_bytes_per_sample(w.default_shape, element_bytes))
          << w.name;
    }
  }
}

TEST(Catalogue, EveryWorkloadIsCompleteAndNamedOnce) {
  const std::set<std::string> optimizers{"sgd", "adam", "adamw", "lamb", "lars"};
  std::set<std::string> names;
  for (const Workload& w : all_workloads()) {
    EXPECT_TRUE(names.insert(w.name).second) << w.name;
    EXPECT_EQ(find_workload(w.name), &w);
    EXPECT_FALSE(w.title.empty() || w.sample_unit.empty() || w.loss.empty() || w.metric.empty());
    EXPECT_FALSE(w.data.empty() || w.flops_formula.empty() || w.flops_source.empty());
    EXPECT_FALSE(w.recipe.source.empty() || w.recipe.lr_schedule.empty());
    EXPECT_TRUE(optimizers.contains(w.recipe.optimizer)) << w.name;
    EXPECT_GT(w.recipe.learning_rate, 0);
    EXPECT_GT(w.recipe.reference_batch, 0);
    EXPECT_GT(w.default_batch_size, 0);
    EXPECT_EQ(w.data_kind == DataKind::kText, w.transformer.has_value());
    EXPECT_GT(w.parameters(w.default_shape), 0);
  }
  EXPECT_EQ(names.size(), 6u);
}

TEST(Catalogue, UnknownNamesAreNotFound) {
  EXPECT_EQ(find_workload("resnet"), nullptr);
  EXPECT_EQ(find_workload(""), nullptr);
}

TEST(Catalogue, AResolvedShapeKeepsWhatWasChosen) {
  const ModelShape shape = resolved_shape(workload("resnet50"), {.image_size = 64});
  EXPECT_EQ(shape.image_size, 64);
  EXPECT_EQ(shape.classes, 1000);
  EXPECT_EQ(resolved_shape(workload("resnet50"), {.classes = 10}).classes, 10);
}

}  // namespace
}  // namespace scalemark::catalogue
