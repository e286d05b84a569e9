#include "engine/train/checkpoints.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"

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

  using States = std::vector<workloads::NamedTensors>;  // each rank writes one

  void write(std::int64_t step, std::int64_t keep = 2, const States& states = {{}}) {
    const fs::path unfinished = begin_checkpoint(folder_, step);
    reporting::CheckpointManifest manifest{.step = step,
                                           .same = {{"seed", "0"}},
                                           .evaluation = {},
                                           .resumed = {},
                                           .dealt = {},
                                           .files = {}};
    for (std::size_t rank = 0; rank < states.size(); ++rank) {
      const fs::path file = unfinished / file_of_rank(static_cast<int>(rank));
      workloads::write_safetensors(file, states[rank]);
      manifest.files.push_back(describe_file(file));
    }
    finish_checkpoint(unfinished, manifest, keep);
  }

  std::optional<FoundCheckpoint> before(std::int64_t step) {
    return newest_checkpoint(folder_, step,
                             [&](const std::string& note) { notes_.push_back(note); });
  }

  // Returns the step from which a rank can go on; -1: from none.
  std::int64_t newest(int rank = 0) {
    notes_.clear();
    for (auto found = before(kAny); found; found = before(found->manifest.step)) {
      try {
        read_state(*found, rank);
        return found->manifest.step;
      } catch (const Error& error) {
        notes_.push_back(error.record().what);
      }
    }
    return -1;
  }

  static constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
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
  EXPECT_EQ(notes_[0], "rank-0.safetensors is not what was written");
  EXPECT_NE(notes_[1].find("step-2 is damaged and was skipped: checkpoint.json is missing"),
            std::string::npos)
      << notes_[1];
  write(3, 9);  // again, over the torn one
  EXPECT_EQ(newest(), 3);
}

TEST_F(CheckpointFiles, WhoseManifestWasEditedArePassedOver) {
  for (const int step : {1, 2}) write(step, 9);
  const fs::path manifest = folder_ / "step-2" / "checkpoint.json";
  std::ifstream file(manifest);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.replace(text.find("\"seed\": \"0\""), 11, "\"seed\": \"1\"");
  std::ofstream(manifest) << text;
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("checkpoint.json: it was changed since it was written"),
            std::string::npos)
      << notes_[0];

  // Version 0.9 wrote no checksum of the manifest.
  const auto checksum = text.find("  \"sha256\"");
  text.erase(checksum, text.find('\n', checksum) - checksum);
  text.erase(text.rfind(','), 1);
  std::ofstream(manifest) << text;
  EXPECT_EQ(newest(), 2);
}

TEST_F(CheckpointFiles, OfOtherRanksAreNotRead) {
  write(1, 9, {{}, {}, {}});
  fs::remove(folder_ / "step-1" / file_of_rank(1));
  EXPECT_EQ(newest(0), 1);
  EXPECT_EQ(newest(1), -1);
  EXPECT_EQ(newest(2), 1);
  EXPECT_EQ(newest(3), -1) << "it was written by three ranks";
}

TEST_F(CheckpointFiles, UnderTheNameOfAnotherStepArePassedOver) {
  for (const int step : {1, 2}) write(step);
  fs::rename(folder_ / "step-2", folder_ / "step-7");
  EXPECT_EQ(newest(), 1);
}

// In version 0.9 each rank wrote all of its state.
TEST_F(CheckpointFiles, HoldWhatRanksShareOnceOrAsTheVersionBeforeForEachRank) {
  const auto tensor = [](int value) { return at::full({2}, value, at::kLong); };
  write(1, 9, {{{"model.w", tensor(1)}, {"random.cpu", tensor(2)}}, {{"random.cpu", tensor(3)}}});
  write(2, 9, {{{"model.w", tensor(4)}}, {{"model.w", tensor(5)}}});
  const auto values = [&](std::int64_t before_step, int rank) {
    std::map<std::string, std::int64_t> all;
    for (const auto& [name, kept] : read_state(*before(before_step), rank)) {
      all[name] = kept[1].item<std::int64_t>();
    }
    return all;
  };
  using Values = std::map<std::string, std::int64_t>;
  EXPECT_EQ(values(2, 0), (Values{{"model.w", 1}, {"random.cpu", 2}}));
  EXPECT_EQ(values(2, 1), (Values{{"model.w", 1}, {"random.cpu", 3}}));
  EXPECT_EQ(values(3, 0), (Values{{"model.w", 4}}));
  EXPECT_EQ(values(3, 1), (Values{{"model.w", 5}}));
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
