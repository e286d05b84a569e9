#include <gtest/gtest.h>

#include <array>

#include "core/settings/problem.h"

namespace scalemark::settings {
namespace {

TEST(EditDistance, CountsASwapOnce) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("trian", "train"), 1u);
  EXPECT_EQ(edit_distance("train", "trian"), 1u);
}

TEST(Nearest, FindsTheTypoAndLeavesTheRest) {
  constexpr std::array<std::string_view, 4> kNames{"batch_size", "global_batch_size", "iters",
                                                   "epochs"};
  EXPECT_EQ(nearest("batchsize", kNames), "batch_size");
  EXPECT_EQ(nearest("batch-sise", kNames), "batch_size");
  EXPECT_EQ(nearest("BatchSize", kNames), "batch_size");
  EXPECT_EQ(nearest("iterations", kNames), std::nullopt);
  EXPECT_EQ(nearest("iter", kNames), "iters");
  EXPECT_EQ(nearest("epoch", kNames), "epochs");
  EXPECT_EQ(nearest("zzz", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), std::nullopt);
}

TEST(DidYouMean, IsEmptyOrAQuestion) {
  constexpr std::array<std::string_view, 1> kNames{"batch-size"};
  EXPECT_EQ(did_you_mean("batch-siz", kNames, "--"), "did you mean '--batch-size'?");
  EXPECT_EQ(did_you_mean("zzz", kNames), "");
}

}  // namespace
}  // namespace scalemark::settings
