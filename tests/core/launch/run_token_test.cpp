#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/launch/meeting_point.h"
#include "core/launch/world.h"

namespace scalemark::launching {
namespace {

namespace fs = std::filesystem;

class RunTokenFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "token-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& content, mode_t mode = 0600) {
    const fs::path path = folder_ / std::to_string(++files_);
    std::ofstream(path, std::ios::binary) << content;
    chmod(path.c_str(), mode);
    return path.string();
  }

  static ErrorRecord refusal(const std::string& path) {
    try {
      read_run_token(path);
    } catch (const Error& error) {
      return error.record();
    }
    ADD_FAILURE() << path << " was accepted";
    return {};
  }

  fs::path folder_;
  int files_ = 0;
};

TEST_F(RunTokenFile, TheTokenCountsAndNotTheLineEnd) {
  const std::string secret = read_run_token(file("correct horse battery")).secret;
  EXPECT_EQ(secret.size(), 64u);
  EXPECT_EQ(secret.find("horse"), std::string::npos);
  EXPECT_EQ(read_run_token(file("correct horse battery\r\n")).secret, secret);
  EXPECT_NE(read_run_token(file("correct horse batterz")).secret, secret);
}

TEST_F(RunTokenFile, OthersMayReadItIsNoted) {
  EXPECT_EQ(read_run_token(file("correct horse battery", 0600)).note, "");
  EXPECT_NE(read_run_token(file("correct horse battery", 0644)).note.find("chmod 600"),
            std::string::npos);
}

TEST_F(RunTokenFile, WhatIsNoTokenIsRefused) {
  EXPECT_EQ(refusal((folder_ / "absent").string()).exit_code, ExitCode::kNoInput);
  EXPECT_EQ(refusal(folder_.string()).exit_code, ExitCode::kNoInput);
  for (const std::string& content :
       {std::string(), std::string("\n \n"), std::string("too short"), std::string(5000, 'x')}) {
    EXPECT_EQ(refusal(file(content)).exit_code, ExitCode::kBadData) << content.size();
  }
  if (geteuid() != 0) {
    EXPECT_EQ(refusal(file("correct horse battery", 0)).exit_code, ExitCode::kPermission);
  }
}

TEST_F(RunTokenFile, TheMetricsTokenIsKeptAsItIs) {
  const Secret secret = read_metrics_token(file("correct-horse-battery=\n", 0644));
  EXPECT_EQ(secret.text, "correct-horse-battery=");
  EXPECT_TRUE(secret.note.starts_with("--metrics-token /")) << secret.note;
  for (const char* content : {"too short", "correct horse battery", "correct-horse\nbattery-x"}) {
    try {
      read_metrics_token(file(content));
      ADD_FAILURE() << content;
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
      EXPECT_TRUE(error.record().what.starts_with("--metrics-token /"));
      EXPECT_TRUE(error.record().hint.ends_with("copy it to whoever reads the page"));
    }
  }
}

TEST(RandomSecret, IsNeverTheSame) {
  EXPECT_EQ(random_secret().size(), 32u);
  EXPECT_NE(random_secret(), random_secret());
}

TEST(RankSpec, PassesTheSecretOn) {
  RankSpec spec;
  spec.rendezvous.secret = random_secret();
  EXPECT_EQ(parse_rank_spec(to_json(spec)).rendezvous.secret, spec.rendezvous.secret);
}

}  // namespace
}  // namespace scalemark::launching
