#include <gtest/gtest.h>

#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

using Sizes = std::array<std::int64_t, 3>;  // batch, accumulation, global

Sizes sizes_of(const BatchRequest& request, int world_size) {
  const BatchAnswer answer = resolve_batch(request, world_size, 32);
  EXPECT_EQ(answer.problem, "");
  return {answer.sizes.batch_size, answer.sizes.gradient_accumulation_steps,
          answer.sizes.global_batch_size};
}

TEST(ResolveBatch, WithoutAGlobalSizeItGrowsWithTheRanks) {
  EXPECT_EQ(sizes_of({}, 1), (Sizes{32, 1, 32}));
  EXPECT_EQ(sizes_of({}, 4), (Sizes{32, 1, 128}));
  EXPECT_EQ(sizes_of({.batch_size = 8, .gradient_accumulation_steps = 3}, 2), (Sizes{8, 3, 48}));
}

TEST(ResolveBatch, AGlobalSizeDecidesTheRest) {
  EXPECT_EQ(sizes_of({.global_batch_size = 64}, 4), (Sizes{16, 1, 64}));
  EXPECT_EQ(sizes_of({.gradient_accumulation_steps = 2, .global_batch_size = 64}, 4),
            (Sizes{8, 2, 64}));
  EXPECT_EQ(sizes_of({.batch_size = 8, .global_batch_size = 64}, 4), (Sizes{8, 2, 64}));
  EXPECT_EQ(
      sizes_of({.batch_size = 8, .gradient_accumulation_steps = 2, .global_batch_size = 64}, 4),
      (Sizes{8, 2, 64}));
}

TEST(ResolveBatch, SaysWhatWouldDivide) {
  EXPECT_EQ(resolve_batch({.global_batch_size = 10}, 4, 32).problem,
            "a multiple of 4 (accumulation 1 x 4 ranks), like 8 or 12");
  EXPECT_EQ(resolve_batch({.global_batch_size = 3}, 4, 32).problem,
            "a multiple of 4 (accumulation 1 x 4 ranks), like 4");
  EXPECT_EQ(resolve_batch({.batch_size = 8, .global_batch_size = 65}, 1, 32).problem,
            "a multiple of 8 (batch size 8 x 1 rank), like 64 or 72");
}

TEST(ResolveBatch, RefusesContradictionAndOverflow) {
  EXPECT_EQ(resolve_batch(
                {.batch_size = 8, .gradient_accumulation_steps = 1, .global_batch_size = 64}, 4, 32)
                .problem,
            "must be batch size 8 x accumulation 1 x 4 ranks; leave one of the three out");
  EXPECT_NE(resolve_batch({.batch_size = INT64_MAX}, 2, 32).problem, "");
  EXPECT_NE(resolve_batch({.batch_size = INT64_MAX, .global_batch_size = 4}, 2, 32).problem, "");
}

}  // namespace
}  // namespace scalemark::settings
