#include "data/load/synthetic.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

HostBuffer poisoned_buffer(std::size_t bytes) {
  HostBuffer buffer = allocate_host(bytes);
  std::memset(buffer.get(), 0xa5, bytes);
  return buffer;
}

void expect_equal(const HostBatch& a, const HostBatch& b) {
  ASSERT_EQ(a.fields.size(), b.fields.size());
  for (std::size_t f = 0; f < a.fields.size(); ++f) {
    ASSERT_EQ(a.fields[f].shape, b.fields[f].shape);
    std::size_t bytes = size_of(a.fields[f].dtype);
    for (const std::int64_t d : a.fields[f].shape) bytes *= static_cast<std::size_t>(d);
    EXPECT_EQ(std::memcmp(a.fields[f].bytes.get(), b.fields[f].bytes.get(), bytes), 0);
  }
}

TEST(Synthetic, TheSeedAloneDecidesEveryByte) {
  expect_equal(synthetic_images({3, 17, 10}, 5), synthetic_images({3, 17, 10}, 5, poisoned_buffer));
  expect_equal(synthetic_tokens({3, 17, 99}, 5), synthetic_tokens({3, 17, 99}, 5, poisoned_buffer));
  expect_equal(synthetic_vectors({3, 17, 10}, 5),
               synthetic_vectors({3, 17, 10}, 5, poisoned_buffer));
  EXPECT_NE(synthetic_vectors({1, 4, 10}, 5).field("features").as<float>()[0],
            synthetic_vectors({1, 4, 10}, 6).field("features").as<float>()[0]);
}

TEST(Synthetic, ImagesHaveLabelsOfTheirClasses) {
  const HostBatch batch = synthetic_images({64, 8, 3}, 1);
  EXPECT_EQ(batch.field("image").shape, (std::vector<std::int64_t>{64, 8, 8, 3}));
  const auto labels = batch.field("label").as<std::int64_t>();
  EXPECT_EQ(std::set<std::int64_t>(labels.begin(), labels.end()),
            (std::set<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(batch.samples, 64);
}

TEST(Synthetic, TokensMaskFifteenPercentOfEachSequence) {
  const std::int64_t n = 4;
  for (const auto& [length, masked] : {std::pair{128, 19}, {512, 77}, {3, 1}, {1, 1}}) {
    const HostBatch batch = synthetic_tokens({n, length, 30522}, 2);
    const auto positions = batch.field("masked_positions").as<std::int64_t>();
    ASSERT_EQ(positions.size(), static_cast<std::size_t>(n * masked));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      EXPECT_EQ(positions[i] / length, static_cast<std::int64_t>(i) / masked);
      EXPECT_TRUE(i == 0 || positions[i - 1] < positions[i]);
    }
    for (const std::int64_t id : batch.field("input_ids").as<std::int64_t>()) {
      EXPECT_TRUE(id > 0 && id < 30522);
    }
    EXPECT_EQ(batch.non_pad_tokens, n * length);
  }
}

TEST(Synthetic, VectorsLieInTheUnitCube) {
  const HostBatch batch = synthetic_vectors({8, 100, 10}, 3);
  for (const float v : batch.field("features").as<float>()) EXPECT_TRUE(v >= -1 && v < 1);
}

TEST(Synthetic, RefusesEmptyShapes) {
  EXPECT_THROW(synthetic_images({0, 8, 3}, 1), Error);
  EXPECT_THROW(synthetic_tokens({1, 8, 1}, 1), Error);
  EXPECT_THROW(synthetic_vectors({1, 0, 3}, 1), Error);
}

}  // namespace
}  // namespace scalemark::data
