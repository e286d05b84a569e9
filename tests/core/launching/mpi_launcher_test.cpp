// Ranks under the real launchers of Open MPI and MPICH, where they are installed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace scalemark::launching {
namespace {

struct Output {
  std::vector<std::string> lines;  // sorted
  int exit_code = -1;
};

Output run(const std::string& command) {
  Output output;
  FILE* pipe = popen(("timeout 30 " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output.lines.emplace_back(buffer);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  std::sort(output.lines.begin(), output.lines.end());
  return output;
}

bool installed(const std::string& program) { return run("which " + program).exit_code == 0; }

void expect_two_ranks(const Output& output, const std::string& launcher) {
  ASSERT_EQ(output.exit_code, 0) << ::testing::PrintToString(output.lines);
  ASSERT_EQ(output.lines.size(), 4u) << ::testing::PrintToString(output.lines);
  EXPECT_EQ(output.lines[0], output.lines[1]);  // both meet at one place under one id
  EXPECT_TRUE(
      std::regex_match(output.lines[0], std::regex("meet 127\\.0\\.0\\.1:2[0-9]{4} id .+\n|"
                                                   "meet 127\\.0\\.0\\.1:3[01][0-9]{3} id .+\n")))
      << output.lines[0];
  EXPECT_EQ(output.lines[2], launcher + " 0/2 local 0/2 node 0/1\n");
  EXPECT_EQ(output.lines[3], launcher + " 1/2 local 1/2 node 0/1\n");
}

TEST(MpiLaunchers, OpenMpi) {
  if (!installed("mpirun.openmpi")) GTEST_SKIP() << "mpirun.openmpi is not installed";
  const std::string mpirun =
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi "
      "--oversubscribe "
      "--bind-to none -n 2 ";
  expect_two_ranks(run(mpirun + RANK_CHILD " place"), "openmpi");
}

TEST(MpiLaunchers, MpichAlsoBehindAWrapperScript) {
  if (!installed("mpiexec.mpich")) GTEST_SKIP() << "mpiexec.mpich is not installed";
  const auto plain = run("mpiexec.mpich -n 2 " RANK_CHILD " place");
  expect_two_ranks(plain, "pmi");
  const auto wrapped = run("mpiexec.mpich -n 2 sh -c '" RANK_CHILD " place; true'");
  expect_two_ranks(wrapped, "pmi");
  EXPECT_NE(plain.lines.at(0), wrapped.lines.at(0));  // two jobs do not meet
}

}  // namespace
}  // namespace scalemark::launching
