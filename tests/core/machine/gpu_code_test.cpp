#include "core/machine/gpu_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/base/elf_notes.h"

namespace scalemark::monitoring {
namespace {

// A bundle holds these (GPU_STATUS.md).
constexpr std::array kAllSass{75, 80, 90, 100, 120};
constexpr std::array kAllPtx{90};
constexpr CodeInBuild kBundle{.sass = kAllSass, .ptx = kAllPtx};

TEST(GpuCode, ThisBuildHoldsMachineCodeOfABundleAndItsPtx) {
  const auto build = code_in_this_build();
  EXPECT_FALSE(build.sass.empty());
  EXPECT_TRUE(std::ranges::includes(kAllSass, build.sass));
  EXPECT_TRUE(std::ranges::equal(kAllPtx, build.ptx));
}

TEST(GpuCode, MachineCodeRunsOnItsMajorNumberFromItsMinorNumberOn) {
  struct Case {
    int major, minor, architecture;
  };
  for (const Case& one : {Case{7, 5, 75}, Case{8, 0, 80}, Case{8, 6, 80}, Case{8, 9, 80},
                          Case{9, 0, 90}, Case{10, 0, 100}, Case{10, 3, 100}, Case{12, 1, 120}}) {
    const auto code = gpu_code_for(one.major, one.minor, kBundle);
    EXPECT_EQ(code.use, CodeUse::kMachineCode) << one.major << "." << one.minor;
    EXPECT_EQ(code.architecture, one.architecture) << one.major << "." << one.minor;
  }
}

TEST(GpuCode, ANewerGenerationGetsCodeThatTheDriverCompiles) {
  for (const int major : {11, 13}) {
    const auto code = gpu_code_for(major, 0, kBundle);
    EXPECT_EQ(code.use, CodeUse::kCompiledByDriver);
    EXPECT_EQ(code.architecture, 90);
    EXPECT_EQ(in_words(code),
              "compute_90 code, compiled by the driver at the first start, which makes that start "
              "slower");
  }
}

TEST(GpuCode, OlderGpusAndGapsOfASmallerBuildHaveNone) {
  EXPECT_EQ(gpu_code_for(7, 0, kBundle).use, CodeUse::kNone);
  EXPECT_EQ(gpu_code_for(6, 1, kBundle).use, CodeUse::kNone);
  constexpr std::array kSass{80, 90};
  constexpr std::array kPtx{90};
  const CodeInBuild small{.sass = kSass, .ptx = kPtx};
  const auto turing = gpu_code_for(7, 5, small);
  EXPECT_EQ(turing.use, CodeUse::kNone);
  EXPECT_EQ(in_words(turing, small), "none: this build holds sm_80, sm_90, compute_90");
  constexpr std::array kLater{86};
  EXPECT_EQ(gpu_code_for(8, 0, {.sass = kLater, .ptx = {}}).use, CodeUse::kNone);
}

TEST(GpuCode, AnOlderDriverLoadsMachineCodeButCompilesNoNewerPtx) {
  CodeInBuild build = kBundle;
  build.ptx_cuda = 13020;
  for (const int driver : {13020, 13030}) {
    EXPECT_EQ(gpu_code_for(11, 0, for_driver(build, driver)).use, CodeUse::kCompiledByDriver);
  }
  const CodeInBuild old = for_driver(build, 13000);
  EXPECT_EQ(gpu_code_for(9, 0, old).use, CodeUse::kMachineCode);
  EXPECT_EQ(gpu_code_for(11, 0, old).use, CodeUse::kNone);
  EXPECT_EQ(in_words(gpu_code_for(11, 0, old), old),
            "none: this build holds sm_75, sm_80, sm_90, sm_100, sm_120");
}

TEST(GpuCode, TheNearestMachineCodeIsTaken) {
  constexpr std::array kSass{86, 80, 89};
  EXPECT_EQ(gpu_code_for(8, 7, {.sass = kSass, .ptx = {}}).architecture, 86);
  EXPECT_EQ(in_words(gpu_code_for(8, 9, {.sass = kSass, .ptx = {}})), "machine code sm_89");
}

TEST(GpuCode, OfAPluginIsMadeByTheCompilerThatItsNoteNames) {
  const int own = code_in_this_build().ptx_cuda;
  EXPECT_EQ(code_in("/proc/self/exe").ptx_cuda, own);  // this test has the note, too
  EXPECT_EQ(code_in("/nowhere/libscalemark_cuda-2.11.so").ptx_cuda, own);
  EXPECT_EQ(own_note("/proc/self/exe", kPtxNote), std::to_string(own));
}

}  // namespace
}  // namespace scalemark::monitoring
