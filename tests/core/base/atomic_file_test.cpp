#include "core/base/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

namespace scalemark {
namespace {

namespace fs = std::filesystem;

class AtomicFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("atomic-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path path() const { return folder_ / "file"; }
  auto entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(AtomicFiles, StandUnderTheirNameOnceTheyAreComplete) {
  {
    AtomicFile file(path());
    file.append("abc");
    file.append("def");
    file.write(std::as_bytes(std::span("X", 1)), 1);
    EXPECT_FALSE(fs::exists(path()));
    file.commit();
  }
  EXPECT_EQ(text(), "aXcdef");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFiles, LeaveNothingWithoutCommit) {
  { AtomicFile(path()).append("abc"); }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFiles, ReplaceOrLeaveWhatStandsThere) {
  for (const char* content : {"first", "second"}) {
    AtomicFile file(path());
    file.append(content);
    file.commit_unless_there();
  }
  EXPECT_EQ(text(), "first");
  {
    AtomicFile file(path());
    file.append("third");
    file.commit();
  }
  EXPECT_EQ(text(), "third");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFiles, SayWhatFailed) {
  try {
    AtomicFile file(folder_ / "none" / "file");
    FAIL() << "made a file in no folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput);
    EXPECT_NE(error.record().what.find("none/file.tmp-"), std::string::npos);
  }
  const auto record = file_failure("write", "/x", ENOSPC).record();
  EXPECT_EQ(record.exit_code, ExitCode::kIo);
  EXPECT_EQ(record.what, "cannot write /x: No space left on device");
  EXPECT_EQ(record.hint, "free space there, or choose another place");
}

}  // namespace
}  // namespace scalemark
