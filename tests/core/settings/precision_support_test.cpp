#include <gtest/gtest.h>

#include "core/settings/machine.h"

namespace scalemark::settings {
namespace {

TEST(PrecisionSupport, Bf16OnACpuNeedsItsInstructions) {
  EXPECT_TRUE(why_unsupported(Precision::kAmpBf16,
                              {.device = DeviceKind::kCpu, .cpu_flags = "fpu avx2 avx512f"}));
  EXPECT_FALSE(why_unsupported(Precision::kAmpBf16,
                               {.device = DeviceKind::kCpu, .cpu_flags = "fpu avx512_bf16 sse"}));
  EXPECT_FALSE(
      why_unsupported(Precision::kAmpBf16, {.device = DeviceKind::kCpu, .cpu_flags = "amx_bf16"}));
  // A flag that only begins like the one that counts.
  EXPECT_TRUE(why_unsupported(Precision::kAmpBf16,
                              {.device = DeviceKind::kCpu, .cpu_flags = "amx_bf16x avx512_bf1"}));
}

TEST(PrecisionSupport, Tf32AndFp16AreNotForCpus) {
  const PrecisionDevice cpu{.device = DeviceKind::kCpu, .cpu_flags = "amx_bf16"};
  EXPECT_TRUE(why_unsupported(Precision::kTf32, cpu));
  EXPECT_TRUE(why_unsupported(Precision::kAmpFp16, cpu));
  EXPECT_FALSE(why_unsupported(Precision::kFp32, cpu));
}

TEST(PrecisionSupport, Tf32AndBf16NeedComputeCapability8) {
  const PrecisionDevice turing{.device = DeviceKind::kCuda, .gpu = ComputeCapability{7, 5}};
  const PrecisionDevice ampere{.device = DeviceKind::kCuda, .gpu = ComputeCapability{8, 0}};
  EXPECT_EQ(why_unsupported(Precision::kTf32, turing),
            "needs a GPU of compute capability 8.0, this one has 7.5");
  EXPECT_TRUE(why_unsupported(Precision::kAmpBf16, turing));
  EXPECT_FALSE(why_unsupported(Precision::kAmpFp16, turing));
  EXPECT_FALSE(why_unsupported(Precision::kAmpBf16, ampere));
  EXPECT_FALSE(
      why_unsupported(Precision::kTf32, {.device = DeviceKind::kCuda}));  // unknown refuses nothing
}

}  // namespace
}  // namespace scalemark::settings
