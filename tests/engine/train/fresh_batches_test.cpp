#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "engine/train/batch_source.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

struct Made {
  const catalogue::Workload& workload;
  catalogue::ModelShape shape;
  data::HostBatch example;
};

Made made(const std::string& name) {
  const auto& workload = workload_named(name);
  const auto shape = catalogue::resolved_shape(workload, {.image_size = 16, .sequence_length = 16});
  settings::Settings settings;
  settings.task.workload = name;
  settings.size.batch_size = 6;
  return {workload, shape,
          synthetic_batches(settings, workload, shape, 0, data::allocate_host).front()};
}

std::unique_ptr<BatchSource> source_of(const Made& of, std::uint64_t seed = 1) {
  return fresh_batches(of.example, random_ranges(of.workload, of.shape), seed);
}

bool are_equal(const data::Batch& a, const data::Batch& b) {
  for (const auto& [name, tensor] : a.tensors) {
    if (!at::equal(tensor, b[name])) return false;
  }
  return true;
}

class FreshBatches : public ::testing::TestWithParam<const char*> {};

TEST_P(FreshBatches, AreNewEachTimeAndOfTheExamplesShape) {
  const Made of = made(GetParam());
  const auto source = source_of(of);
  const data::Batch first = source->next(), second = source->next();
  EXPECT_FALSE(are_equal(first, second));
  EXPECT_EQ(first.samples, 6);
  EXPECT_EQ(first.non_pad_tokens, of.example.non_pad_tokens);
  EXPECT_GT(first.wait_s, 0) << "making it takes time that counts";
  const data::Batch example = data::to_tensors(of.example);
  for (const auto& [name, tensor] : example.tensors) {
    EXPECT_EQ(first[name].sizes(), tensor.sizes()) << name;
    EXPECT_EQ(first[name].scalar_type(), tensor.scalar_type()) << name;
  }
}

TEST_P(FreshBatches, SeekToAnyPlaceAndDifferBetweenRanks) {
  const Made of = made(GetParam());
  const auto source = source_of(of);
  std::vector<data::Batch> stream;
  for (int k = 0; k < 4; ++k) stream.push_back(source->next());
  for (const int place : {2, 0, 3}) {
    source->seek(place);
    EXPECT_TRUE(are_equal(source->next(), stream[static_cast<std::size_t>(place)])) << place;
  }
  const settings::Settings settings;
  const auto one = source_of(of, first_seed(settings, 0)),
             two = source_of(of, first_seed(settings, 1));
  EXPECT_FALSE(are_equal(one->next(), two->next()));
}

INSTANTIATE_TEST_SUITE_P(Workloads, FreshBatches,
                         ::testing::Values("mlp", "resnet50", "bert-mini"));

// Labels and tokens index tables; what is no choice of chance stays.
TEST(FreshBatchesOf, KeepWithinTheirRanges) {
  const Made text = made("bert-mini");
  const auto batch = source_of(text)->next();
  EXPECT_GE(batch["input_ids"].min().item<std::int64_t>(), 1);
  EXPECT_LT(batch["input_ids"].max().item<std::int64_t>(), text.shape.vocab_size);
  const data::Batch example = data::to_tensors(text.example);
  EXPECT_TRUE(at::equal(batch["masked_positions"], example["masked_positions"]));
  EXPECT_TRUE(at::equal(batch["attention_mask"], example["attention_mask"]));
  const Made images = made("resnet50");
  const auto pixels = source_of(images)->next();
  EXPECT_EQ(pixels["image"].scalar_type(), at::kByte);
  EXPECT_GT(pixels["image"].max().item<int>(), 200);
  EXPECT_LT(pixels["label"].max().item<std::int64_t>(), images.shape.classes);
}

}  // namespace
}  // namespace scalemark::running
