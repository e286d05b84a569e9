#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "core/launch/resources.h"

namespace scalemark::launching {
namespace {

namespace fs = std::filesystem;

class InTemporaryFolder : public testing::Test {
 protected:
  InTemporaryFolder() {
    std::string pattern = fs::temp_directory_path() / "place-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before_.push_back(value == nullptr ? std::nullopt : std::optional<std::string>(value));
      unsetenv(name);
    }
  }
  ~InTemporaryFolder() override {
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      before_[i] ? setenv(kNames[i], before_[i]->c_str(), 1) : unsetenv(kNames[i]);
    }
    fs::remove_all(folder_);
  }

  static constexpr const char* kNames[] = {"TMPDIR", "TMP", "TEMP", "TEMPDIR"};
  fs::path folder_;
  std::vector<std::optional<std::string>> before_;
};

using TemporaryPlaceTest = InTemporaryFolder;

void expect_fallback(const std::string& note, std::size_t longest_path = 0) {
  const TemporaryPlace place = temporary_place(longest_path);
  EXPECT_EQ(place.path, "/tmp");
  EXPECT_EQ(place.note, note);
}

TEST_F(TemporaryPlaceTest, IsTheOneNamedWithoutAWord) {
  expect_fallback("");
  setenv("TMPDIR", "", 1);
  setenv("TEMP", folder_.c_str(), 1);
  const TemporaryPlace place = temporary_place();
  EXPECT_EQ(place.path, folder_);
  EXPECT_EQ(place.note, "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TemporaryPlaceTest, FallsBackAndNamesTheValue) {
  setenv("TMP", "/nonexistent/job.123", 1);
  expect_fallback(
      "TMP=/nonexistent/job.123 cannot be used (No such file or directory): /tmp is used instead");
  const std::string file = folder_ / "file";
  std::ofstream(file) << "x";
  setenv("TMPDIR", file.c_str(), 1);
  expect_fallback("TMPDIR=" + file + " cannot be used (Not a directory): /tmp is used instead");
  setenv("TMPDIR", "/proc", 1);
  EXPECT_EQ(temporary_place().path, "/tmp");
  const std::string loop = folder_ / "loop";
  fs::create_symlink(loop, loop);
  setenv("TMPDIR", loop.c_str(), 1);
  EXPECT_EQ(temporary_place().path, "/tmp");
  setenv("TMPDIR", (folder_ / std::string(300, 'x')).c_str(), 1);
  EXPECT_EQ(temporary_place().path, "/tmp");
}

TEST_F(TemporaryPlaceTest, IsShortEnoughForASocketWhereOneIsMadeThere) {
  const fs::path deep = folder_ / std::string(100, 'x');
  fs::create_directory(deep);
  setenv("TMPDIR", deep.c_str(), 1);
  EXPECT_EQ(temporary_place().path, deep);
  expect_fallback("TMPDIR=" + deep.string() +
                      " cannot be used (too long for the path of a socket): /tmp is used instead",
                  kLongestSocketPath);
}

}  // namespace
}  // namespace scalemark::launching
