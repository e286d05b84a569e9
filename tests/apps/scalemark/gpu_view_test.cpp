#include "apps/scalemark/gpu_view.h"

#include <gtest/gtest.h>

namespace scalemark::cli {
namespace {

monitoring::Gpu gpu(std::string name, int major, int minor, std::string uuid) {
  monitoring::Gpu made;
  made.name = std::move(name);
  made.uuid = std::move(uuid);
  made.compute_major = major;
  made.compute_minor = minor;
  return made;
}

const monitoring::GpuSurvey kMixed{
    .gpus = {gpu("V100", 7, 0, "GPU-aa"), gpu("H100", 9, 0, "GPU-bb")}, .note = ""};
const monitoring::GpuSurvey kAlike{
    .gpus = {gpu("A100", 8, 0, "GPU-aa"), gpu("A100", 8, 0, "GPU-bb")}, .note = ""};

TEST(ViewGpus, AlikeGpusAreKnownInAnyOrder) {
  const auto seen = view_gpus(2, kAlike, {});
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].name, "A100");
  ASSERT_TRUE(seen[1].capability);
  EXPECT_EQ(seen[1].capability->major, 8);
}

TEST(ViewGpus, MixedGpusAreKnownWhereTheOrderIs) {
  for (const auto& one : view_gpus(2, kMixed, {})) EXPECT_FALSE(one.capability);
  const auto seen = view_gpus(1, kMixed, {.visible_devices = "1", .device_order = "PCI_BUS_ID"});
  ASSERT_EQ(seen.size(), 1u);
  ASSERT_TRUE(seen[0].capability);
  EXPECT_EQ(seen[0].capability->major, 9);
}

// The CUDA driver shows only the devices that it makes visible, in its order.
TEST(ViewGpus, WhatCudaShowsIsKnownAsItStands) {
  monitoring::GpuSurvey survey = kMixed;
  survey.visible_only = true;
  const auto seen = view_gpus(2, survey, {.visible_devices = "5,3", .device_order = {}});
  ASSERT_TRUE(seen[0].capability);
  EXPECT_EQ(seen[0].capability->major, 7);
  EXPECT_EQ(seen[1].capability->major, 9);
}

TEST(ViewGpus, WhatDoesNotAgreeIsUnknown) {
  const auto none = view_gpus(3, {}, {});
  ASSERT_EQ(none.size(), 3u);
  EXPECT_FALSE(none[0].capability);
  for (const auto& one : view_gpus(3, kAlike, {})) EXPECT_TRUE(one.name.empty());
  EXPECT_TRUE(view_gpus(0, kAlike, {.visible_devices = "", .device_order = {}}).empty());
}

TEST(ViewGpus, AMissingCapabilityStaysAbsent) {
  monitoring::GpuSurvey survey{.gpus = {gpu("X", 0, 0, "GPU-aa")}, .note = ""};
  survey.gpus[0].compute_minor.reset();
  const auto seen = view_gpus(1, survey, {});
  EXPECT_EQ(seen[0].name, "X");
  EXPECT_FALSE(seen[0].capability);
}

}  // namespace
}  // namespace scalemark::cli
