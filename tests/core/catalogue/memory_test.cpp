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
  ask.reducer_buckets = true;
  EXPECT_EQ(estimated_memory_bytes(linear, ask), 4u * 10010 * 5);
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
