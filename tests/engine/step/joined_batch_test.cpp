#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "engine/step/copy_ahead.h"

namespace scalemark::training {
namespace {

data::Batch part(std::int64_t samples, std::int64_t masked, std::int64_t first) {
  data::Batch batch{.samples = samples, .padding = 1, .non_pad_tokens = 7 * samples, .wait_s = 0.5};
  batch.tensors["ids"] = at::arange(first, first + 4 * samples).view({samples, 4});
  batch.tensors["masked_positions"] = at::arange(masked);
  return batch;
}

TEST(JoinedBatch, GivesBackWhatWasJoined) {
  const std::vector<data::Batch> parts{part(2, 3, 0), part(2, 1, 100), part(2, 2, 200)};
  const data::Batch whole = join(parts, /*pinned=*/false);
  EXPECT_EQ(whole.samples, 6);
  EXPECT_EQ(whole.padding, 3);
  EXPECT_EQ(whole.non_pad_tokens, 42);
  EXPECT_EQ(whole.wait_s, 1.5);
  EXPECT_EQ(whole["ids"].sizes(), at::IntArrayRef({6, 4}));
  EXPECT_EQ(whole["masked_positions"].size(0), 6);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const data::Batch share = share_of(whole, i);
    EXPECT_EQ(share.samples, 2);
    EXPECT_EQ(share.non_pad_tokens, 14);
    EXPECT_TRUE(share.shares.empty());
    for (const auto& [name, tensor] : parts[i].tensors) {
      EXPECT_TRUE(at::equal(share[name], tensor)) << name;
      EXPECT_EQ(share[name].storage().data(), whole[name].storage().data());
    }
  }
}

TEST(JoinedBatch, OnePartStaysAsItIs) {
  const std::vector<data::Batch> parts{part(2, 3, 0)};
  const data::Batch whole = join(parts, /*pinned=*/false);
  EXPECT_TRUE(whole.shares.empty());
  EXPECT_EQ(whole["ids"].data_ptr(), parts[0]["ids"].data_ptr());
}

TEST(JoinedBatch, IsNoneWhenAPartIsMissing) {
  EXPECT_TRUE(join({part(2, 3, 0), {}}, /*pinned=*/false).tensors.empty());
}

}  // namespace
}  // namespace scalemark::training
