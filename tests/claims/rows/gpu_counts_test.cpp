#include "claims/rows/gpu_counts.h"

#include <gtest/gtest.h>

namespace scalemark::tables {
namespace {

struct Case {
  const char* text;
  double gpus, nodes;  // 0: not given
  const char* chip;
};

TEST(GpuCounts, AreReadAsPeoplePrintThem) {
  const Case cases[] = {{"8 GPUs", 8, 0, ""},
                        {"8-GPU", 8, 0, ""},
                        {"1gpu", 1, 0, ""},
                        {"1,024 GPUs", 1024, 0, ""},
                        {"Single GPU", 1, 0, ""},
                        {"8x A100 80GB", 8, 0, "A100 80GB"},
                        {"8xA100", 8, 0, "A100"},
                        {"8\xC3\x97V100", 8, 0, "V100"},
                        {"4 x RTX 3090", 4, 0, "RTX 3090"},
                        {"V100 (x4)", 4, 0, "V100"},
                        {"A100x8", 8, 0, "A100"},
                        {"1 node x 8 H100", 8, 1, "H100"},
                        {"2x8 V100", 16, 2, "V100"},
                        {"3x8 GPUs", 24, 3, ""},
                        {"2 nodes x 8 GPUs", 16, 2, ""},
                        {"2 nodes (16 GPUs)", 16, 2, ""},
                        {"2 nodes, 8 GPUs each", 16, 2, ""},
                        {"DGX A100 (8 GPUs)", 8, 0, "DGX A100"},
                        {"2x DGX A100 (16 GPUs)", 16, 0, "DGX A100"},
                        {"4 nodes", 0, 4, ""},
                        {"n=8", 8, 0, ""},
                        {"Multi-GPU (2x)", 2, 0, ""},
                        {"#GPUs: 8", 8, 0, ""},
                        {"Number of GPUs 8", 8, 0, ""}};
  for (const Case& one : cases) {
    const auto found = machines_in(one.text);
    ASSERT_TRUE(found) << one.text;
    EXPECT_EQ(found->gpus.value_or(0), one.gpus) << one.text;
    EXPECT_EQ(found->nodes.value_or(0), one.nodes) << one.text;
    EXPECT_EQ(found->chip, one.chip) << one.text;
  }
}

TEST(GpuCounts, SeveralOrNoneAreNoCount) {
  for (const char* text :
       {"", "GPUs", "GPU 1", "1-8 GPUs", "1/2/4/8 GPUs", "Speedup over 1 GPU", "8 GPUs vs 1 GPU",
        "up to 8 GPUs", "8 GPUs per node", "8 GPUs/node", "Mixtral 8x7B", "ResNeXt 32x8d",
        "224x224", "p3.16xlarge", "4x faster", "fp16", "8", "99999999 GPUs"}) {
    EXPECT_FALSE(machines_in(text)) << text;
  }
}

TEST(GpuCounts, WhatIsLeftIsTheRestOfTheText) {
  EXPECT_EQ(machines_in("8 GPUs (img/s)")->rest, "img/s");
  EXPECT_EQ(machines_in("images/sec (8 GPUs)")->rest, "images/sec");
  EXPECT_EQ(machines_in("4 GPUs + DDP")->rest, "+ DDP");
}

TEST(GpuCounts, AColumnOfCountsNeedsNoWords) {
  EXPECT_EQ(machines_in_count("2 x 8")->gpus, 16);
  EXPECT_EQ(machines_in_count("8x Foo")->chip, "Foo");
  EXPECT_FALSE(machines_in_count("8"));
}

}  // namespace
}  // namespace scalemark::tables
