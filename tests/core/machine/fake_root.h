// A folder that stands for / in tests of what is read from /proc and /sys.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace scalemark::monitoring {

class FakeRoot {
 public:
  FakeRoot() : path_(std::filesystem::path(::testing::TempDir()) / "scalemark-root-XXXXXX") {
    std::string name = path_;
    path_ = mkdtemp(name.data());
  }
  ~FakeRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace scalemark::monitoring
