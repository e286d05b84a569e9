#include "core/machine/gpu_support.h"

#include <gtest/gtest.h>

#include <array>

namespace scalemark::monitoring {
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

TEST(ReasonUnsupported, NothingOnTuringAndOnWhatIsNewerThanTheBuild) {
  constexpr std::array kSass{75, 80};
  constexpr std::array kPtx{80};
  auto facts = h100();
  facts.compute_major = 7;
  facts.compute_minor = 5;
  EXPECT_FALSE(reason_unsupported(facts, {.sass = kSass, .ptx = kPtx}));
  facts.compute_major = 13;
  EXPECT_FALSE(reason_unsupported(facts, {.sass = kSass, .ptx = kPtx}));
}

TEST(ReasonUnsupported, SaysThatABuildHasNoCodeForAGpu) {
  auto facts = h100();
  facts.name = "Tesla T4";
  facts.compute_major = 7;
  facts.compute_minor = 5;
  constexpr std::array kSass{80, 90};
  constexpr std::array kPtx{90};
  const auto reason = reason_unsupported(facts, {.sass = kSass, .ptx = kPtx});
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->code, "E_GPU_CODE");
  EXPECT_EQ(reason->exit_code, ExitCode::kSystem);
  EXPECT_NE(reason->what.find("sm_80, sm_90, compute_90"), std::string::npos) << reason->what;
  EXPECT_NE(reason->hint.find("-DSCALEMARK_GPU_CODE=all"), std::string::npos) << reason->hint;
}

TEST(ReasonUnsupported, DistinguishesNoDriverFromNoGpu) {
  EXPECT_EQ(reason_unsupported({})->code, "E_NO_DRIVER");
  EXPECT_EQ(reason_unsupported({.driver_cuda_version = 13000})->code, "E_NO_GPU");
}

}  // namespace
}  // namespace scalemark::monitoring
