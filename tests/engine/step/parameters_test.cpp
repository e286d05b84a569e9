#include "engine/step/parameters.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace scalemark::training {
namespace {

TEST(InOneMemory, KeepsValuesAndShapesAndIsSeenThroughEveryHandle) {
  const at::Tensor mean = at::arange(3, at::kFloat),
                   variance = at::arange(4, at::kFloat).view({2, 2});
  const at::Tensor count = at::zeros({}, at::kLong);
  const at::Tensor held = mean;  // a module's member shares its registered buffer so
  const auto memories = in_one_memory({mean, count, variance});
  ASSERT_EQ(memories.size(), 2U) << "one per type";
  EXPECT_TRUE(at::equal(mean, at::arange(3, at::kFloat)));
  EXPECT_TRUE(at::equal(variance, at::arange(4, at::kFloat).view({2, 2})));
  for (at::Tensor memory : memories) memory.add_(10);
  EXPECT_TRUE(at::equal(held, at::arange(3, at::kFloat) + 10));
  EXPECT_TRUE(at::equal(variance, at::arange(4, at::kFloat).view({2, 2}) + 10));
  EXPECT_EQ(count.item<std::int64_t>(), 10);
}

TEST(InOneMemory, OfNothingIsNothing) { EXPECT_TRUE(in_one_memory({}).empty()); }

}  // namespace
}  // namespace scalemark::training
