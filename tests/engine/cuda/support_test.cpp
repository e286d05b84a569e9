#include "engine/cuda/support.h"

#include <gtest/gtest.h>

namespace scalemark::cuda {
namespace {

GpuFacts h100() {
  return {
      .driver_cuda_version = 13000, .device_count = 8, .name = "NVIDIA H100", .compute_major = 9};
}

TEST(ReasonUnsupported, NothingOnAnH100WithACurrentDriver) {
  EXPECT_FALSE(reason_unsupported(h100()));
}

TEST(ReasonUnsupported, NamesAnOldDriverByItsVersion) {
  auto facts = h100();
  facts.driver_cuda_version = 12080;
  const auto reason = reason_unsupported(facts);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->code, "E_DRIVER_TOO_OLD");
  EXPECT_EQ(reason->exit_code, ExitCode::kSystem);
  EXPECT_NE(reason->what.find("12.8"), std::string::npos) << reason->what;
}

TEST(ReasonUnsupported, NamesAnOldGpuByItsName) {
  auto facts = h100();
  facts.name = "Tesla V100-SXM2-32GB";
  facts.compute_major = 7;
  const auto reason = reason_unsupported(facts);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->code, "E_GPU_TOO_OLD");
  EXPECT_NE(reason->what.find("V100"), std::string::npos);
  EXPECT_NE(reason->what.find("7.0"), std::string::npos);
}

TEST(ReasonUnsupported, TellsNoDriverFromNoGpu) {
  EXPECT_EQ(reason_unsupported({})->code, "E_NO_DRIVER");
  EXPECT_EQ(reason_unsupported({.driver_cuda_version = 13000})->code, "E_NO_GPU");
}

}  // namespace
}  // namespace scalemark::cuda
