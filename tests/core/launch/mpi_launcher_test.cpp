// Ranks under the real launchers of Open MPI and MPICH, where they are installed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"

namespace scalemark::launching {
namespace {

const std::string kRankChild = SCALEMARK_BINARY_DIR "/tests/core_tool rank-child";

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

// An input that has no end yet. MPICH's mpiexec passes the end of its own to the ranks, and SIGPIPE
// kills it where they have ended before: at a busy machine, a program as short as ours.
class OpenInput {
 public:
  OpenInput() : before_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_ = Descriptor(ends[0]);
    write_ = Descriptor(ends[1]);
    dup2(ends[0], STDIN_FILENO);
  }
  ~OpenInput() { dup2(before_.get(), STDIN_FILENO); }

 private:
  Descriptor before_, read_, write_;
};

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
  expect_two_ranks(run(mpirun + kRankChild + " place"), "openmpi");
}

TEST(MpiLaunchers, MpichAlsoBehindAWrapperScript) {
  if (!installed("mpiexec.mpich")) GTEST_SKIP() << "mpiexec.mpich is not installed";
  const OpenInput input;
  const auto plain = run("mpiexec.mpich -n 2 " + kRankChild + " place");
  expect_two_ranks(plain, "pmi");
  const auto wrapped = run("mpiexec.mpich -n 2 sh -c '" + kRankChild + " place; true'");
  expect_two_ranks(wrapped, "pmi");
  EXPECT_NE(plain.lines.at(0), wrapped.lines.at(0));  // two jobs do not meet
}

}  // namespace
}  // namespace scalemark::launching
