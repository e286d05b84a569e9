#include "engine/train/checkpoints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

class CheckpointFiles : public ::testing::Test {
 protected:
  CheckpointFiles()
      : folder_(fs::path(::testing::TempDir()) /
                ("checkpoints-" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
  }
  ~CheckpointFiles() override { fs::remove_all(folder_); }

  void write(std::int64_t step, std::int64_t keep = 2) {
    const fs::path unfinished = begin_checkpoint(folder_, step);
    std::ofstream(unfinished / file_of_rank(0)) << "state of step " << step;
    finish_checkpoint(unfinished,
                      {.step = step,
                       .same = {{"seed", "0"}},
                       .evaluation = {},
                       .resumed = {},
                       .files = {describe_file(unfinished / file_of_rank(0))}},
                      keep);
  }

  std::int64_t newest() {
    notes_.clear();
    const auto found =
        newest_whole_checkpoint(folder_, [&](const std::string& note) { notes_.push_back(note); });
    return found ? found->manifest.step : -1;
  }

  fs::path folder_;
  std::vector<std::string> notes_;
};

TEST_F(CheckpointFiles, AreNotThereInTheBeginning) { EXPECT_EQ(newest(), -1); }

TEST_F(CheckpointFiles, KeepTheNewestByNumber) {
  for (const int step : {2, 9, 10}) write(step);
  EXPECT_EQ(newest(), 10);
  EXPECT_FALSE(fs::exists(folder_ / "step-2"));
  EXPECT_TRUE(fs::exists(folder_ / "step-9"));
}

TEST_F(CheckpointFiles, ThatAreTornOrUnfinishedArePassedOver) {
  for (const int step : {1, 2, 3}) write(step, 9);
  begin_checkpoint(folder_, 4);
  std::ofstream(folder_ / "step-3" / file_of_rank(0)) << "other bytes than that";
  fs::remove(folder_ / "step-2" / "checkpoint.json");
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(notes_.size(), 2u);
  EXPECT_NE(notes_[0].find("step-3 is damaged and was skipped: rank-0.safetensors is not what"),
            std::string::npos)
      << notes_[0];
  EXPECT_NE(notes_[1].find("checkpoint.json is missing"), std::string::npos) << notes_[1];
  write(3, 9);  // again, over the torn one
  EXPECT_EQ(newest(), 3);
}

TEST(Stretches, EndWhereACheckpointIsDueOrTheEpochIsOver) {
  const auto by_steps = [](std::int64_t done, std::int64_t left) {
    const Stretch stretch = stretch_by_steps(done, left, 10);
    return std::pair(stretch.steps, stretch.checkpoint);
  };
  EXPECT_EQ(by_steps(0, 25), std::pair(std::int64_t{10}, true));
  EXPECT_EQ(by_steps(20, 5), std::pair(std::int64_t{5}, false));
  EXPECT_EQ(by_steps(25, 25), std::pair(std::int64_t{5}, true));
  EXPECT_EQ(by_steps(25, 5), std::pair(std::int64_t{5}, true));
}

TEST(Stretches, ByTimeRunOneStepToKnowItsLength) {
  const auto by_time = [](double seconds_left, double step_s, std::int64_t left) {
    const Stretch stretch = stretch_by_time(seconds_left, step_s, left);
    return std::pair(stretch.steps, stretch.checkpoint);
  };
  EXPECT_EQ(by_time(60, 0, 100), std::pair(std::int64_t{1}, false));
  EXPECT_EQ(by_time(60, 2, 100), std::pair(std::int64_t{30}, true));
  EXPECT_EQ(by_time(60, 0.5, 100), std::pair(std::int64_t{100}, false));
  EXPECT_EQ(by_time(-3, 2, 100), std::pair(std::int64_t{1}, true));
}

}  // namespace
}  // namespace scalemark::running
