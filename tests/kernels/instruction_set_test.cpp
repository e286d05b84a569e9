#include "kernels/instruction_set.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace scalemark::kernels {
namespace {

TEST(InstructionSet, TheWidestThatRunsIsChosen) {
  EXPECT_TRUE(runs(InstructionSet::kPortable));
  EXPECT_TRUE(runs(widest()));
  for (const auto set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (runs(set)) {
      EXPECT_GE(widest(), set) << name_of(set);
    }
  }
}

// The kernel's own list is what a system lets programs use.
TEST(InstructionSet, AgreesWithTheSystemsFlags) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find("\nflags") == std::string::npos) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto has = [&](const std::string& flag) {
    return text.find(" " + flag + " ") != std::string::npos;
  };
  EXPECT_EQ(runs(InstructionSet::kAvx2), has("avx2") && has("fma"));
  EXPECT_EQ(runs(InstructionSet::kAvx512), has("avx2") && has("fma") && has("avx512f") &&
                                               has("avx512bw") && has("avx512dq") &&
                                               has("avx512vl"));
}

}  // namespace
}  // namespace scalemark::kernels
