// Where the time of an image goes, of a tree and of each form of packed data.
#include "data/images/stage_times.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/packed/packed_tree.h"

namespace scalemark::data {
namespace {

using packed::Form;

class StageTimes : public ::testing::Test {
 protected:
  StageTimes() : tree_(small_tree(folder_, 12, 0)) {}  // photo sizes

  std::string packed_as(Form form) const {
    const auto output = folder_ / std::string(name_of(form));
    pack_images({.tree = tree_, .output = output.string(), .form = form});
    return output.string();
  }

  static ImageStages stages_of(ImageSource& source, std::int64_t most,
                               ImageDecoding decoding = ImageDecoding::kExact) {
    return time_stages(source, {.image_size = 64, .decoding = decoding}, 5, most);
  }

  TemporaryFolder folder_;
  std::string tree_;
};

void expect_none_below_zero(const ImageStages& stages) {
  for (const double seconds : {stages.read_s, stages.checksum_s, stages.entropy_s, stages.idct_s,
                               stages.colour_s, stages.resize_s, stages.flip_s, stages.other_s}) {
    EXPECT_GE(seconds, 0);
  }
}

TEST_F(StageTimes, OfATree) {
  const ImageTree tree = scan_image_tree(tree_);
  const auto source = source_of(tree);
  for (const auto decoding : {ImageDecoding::kExact, ImageDecoding::kFast}) {
    const ImageStages stages = stages_of(*source, 100, decoding);
    EXPECT_EQ(stages.images, 12);
    expect_none_below_zero(stages);
    EXPECT_GT(stages.read_s, 0);
    EXPECT_GT(stages.entropy_s, stages.read_s);
    EXPECT_GT(stages.resize_s, 0);
    EXPECT_EQ(stages.checksum_s, 0);
    EXPECT_EQ(stages.other_s, 0);
  }
  EXPECT_EQ(stages_of(*source, 5).images, 5);
}

TEST_F(StageTimes, OfPackedFiles) {
  for (const Form form : {Form::kJpeg, Form::kJpeg256}) {
    const auto source = source_of(open_packed_data(packed_as(form)));
    for (const auto decoding : {ImageDecoding::kExact, ImageDecoding::kFast}) {
      const ImageStages stages = stages_of(*source, 100, decoding);
      EXPECT_EQ(stages.images, 12);
      expect_none_below_zero(stages);
      EXPECT_GT(stages.read_s, 0);
      EXPECT_GT(stages.checksum_s, 0);
      EXPECT_GT(stages.entropy_s, stages.checksum_s);
      EXPECT_GT(stages.resize_s, 0);
      EXPECT_EQ(stages.other_s, 0);
    }
  }
}

TEST_F(StageTimes, OfPackedPixels) {
  const auto source = source_of(open_packed_data(packed_as(Form::kRaw256)));
  const ImageStages stages = stages_of(*source, 100);
  EXPECT_EQ(stages.images, 12);
  expect_none_below_zero(stages);
  EXPECT_GT(stages.read_s, 0);
  EXPECT_GT(stages.resize_s, 0);
  EXPECT_EQ(stages.total_s(), stages.read_s + stages.resize_s + stages.flip_s);
}

TEST_F(StageTimes, WhatDoesNotDecodeIsLeftOut) {
  const std::string root = packed_as(Form::kJpeg);
  const packed::Index index(root);
  const packed::SampleEntry& sample = index.split(packed::kTrain)[4];
  {
    std::fstream shard(index.shard_path(index.shards()[sample.shard]),
                       std::ios::binary | std::ios::in | std::ios::out);
    shard.seekp(static_cast<std::streamoff>(sample.offset));
    shard << "no picture";
  }
  const ImageStages stages = stages_of(*source_of(open_packed_data(root)), 100);
  EXPECT_EQ(stages.images, 11);
  EXPECT_GT(stages.total_s(), 0);
}

}  // namespace
}  // namespace scalemark::data
