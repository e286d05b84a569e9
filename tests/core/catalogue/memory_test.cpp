#include "core/catalogue/memory.h"

#include <gtest/gtest.h>

namespace scalemark::catalogue {
namespace {

MemoryQuestion question(const Workload& workload) {
  return {.shape = resolved_shape(workload, {.image_size = 224, .classes = 0}),
          .batch_size = 0,
          .optimizer = "sgd"};
}

TEST(EstimatedMemory, CountsParametersGradientsAndOptimizerState) {
  const Workload& linear = *find_workload("linear");  // 10,010 parameters
  auto ask = question(linear);
  EXPECT_EQ(estimated_memory_bytes(linear, ask), 4u * 10010 * 2);
  ask.momentum = 0.9;
  EXPECT_EQ(estimated_memory_bytes(linear, ask), 4u * 10010 * 3);
  ask.optimizer = "adam";
  EXPECT_EQ(estimated_memory_bytes(linear, ask), 4u * 10010 * 4);
  ask.strategy = "ddp";
  EXPECT_EQ(estimated_memory_bytes(linear, ask), 4u * 10010 * 5);
}

TEST(EstimatedMemory, CountsInputBatchesAVectorsOwnOnce) {
  EXPECT_EQ(input_bytes_per_sample(*find_workload("resnet50"), {.image_size = 224}), 150528 + 8);
  EXPECT_EQ(input_bytes_per_sample(*find_workload("linear"), {}), 4008);
  EXPECT_DOUBLE_EQ(input_bytes_per_sample(*find_workload("bert-mini"), {.sequence_length = 100}),
                   8 * (3 * 100 + 2 * 15 + 1));
  for (const char* name : {"linear", "resnet50"}) {
    const Workload& workload = *find_workload(name);
    auto ask = question(workload);
    ask.batch_size = 10;
    const auto without = estimated_memory_bytes(workload, ask);
    ask.input_batches = 3;
    const double input = input_bytes_per_sample(workload, ask.shape);
    const bool vectors = workload.data_kind == DataKind::kVectors;
    EXPECT_EQ(estimated_memory_bytes(workload, ask) - without,
              static_cast<std::uint64_t>(10 * input * (vectors ? 2 : 3)));
  }
}

TEST(LargestBatchThatFits, IsTheLastOneWithinTheMemory) {
  const Workload& resnet = *find_workload("resnet50");
  auto ask = question(resnet);
  constexpr std::uint64_t kMemory = 8'000'000'000;
  const auto fits = largest_batch_that_fits(resnet, ask, kMemory);
  ask.batch_size = fits;
  EXPECT_LE(estimated_memory_bytes(resnet, ask), kMemory);
  ask.batch_size = fits + 1;
  EXPECT_GT(estimated_memory_bytes(resnet, ask), kMemory);
}

TEST(LargestBatchThatFits, IsNoneWhereTheParametersDoNot) {
  const Workload& bert = *find_workload("bert-large");
  EXPECT_EQ(largest_batch_that_fits(bert, question(bert), 1'000'000), 0);
}

}  // namespace
}  // namespace scalemark::catalogue
