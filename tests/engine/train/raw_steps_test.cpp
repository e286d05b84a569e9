#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "engine/train/results/over_ranks.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

class SavedRawSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/scalemark-raw-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

PointOutcome outcome_of(std::size_t steps) {
  PointOutcome outcome;
  outcome.ranks.emplace_back().record.samples = 40;
  reporting::RawSteps raw{
      .windows = {{.wall_s = 2}}, .step_s = {}, .phases_s = {}, .cost_blocks = {}};
  raw.step_s.resize(steps, 0.25);
  raw.phases_s.resize(steps);
  outcome.raw_steps = reporting::raw_part(raw);
  return outcome;
}

TEST_F(SavedRawSteps, OfOneRankAreWrittenInRounds) {
  PointOutcome outcome = outcome_of(300'000);  // 19 MB
  const std::string values = outcome.raw_steps->values;
  save_raw_steps({folder_, "g/r0"}, outcome);
  EXPECT_FALSE(outcome.not_saved);
  EXPECT_FALSE(outcome.raw_steps) << "they are held no longer";
  ASSERT_TRUE(outcome.raw_steps_file);
  EXPECT_EQ(outcome.raw_steps_file->file, "raw/g/r0.steps");
  EXPECT_EQ(outcome.raw_steps_file->xxh3_128.size(), 32u);
  std::ifstream stream(folder_ / "raw/g/r0.steps", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(static_cast<std::int64_t>(text.size()), outcome.raw_steps_file->bytes);
  EXPECT_TRUE(text.ends_with(values));
}

TEST_F(SavedRawSteps, ThatTheDiskRefusesLeaveTheMeasurementValid) {
  std::ofstream(folder_ / "raw") << "a file";
  PointOutcome outcome = outcome_of(3);
  save_raw_steps({folder_, "g/r0"}, outcome);
  EXPECT_FALSE(outcome.raw_steps_file);
  ASSERT_TRUE(outcome.not_saved);
  EXPECT_EQ(outcome.not_saved->exit_code, ExitCode::kCannotCreateOutput);
  EXPECT_EQ(outcome.ranks.size(), 1u);
}

TEST_F(SavedRawSteps, ThatNobodyAskedForAreNone) {
  PointOutcome outcome = outcome_of(3);
  outcome.raw_steps.reset();
  save_raw_steps({folder_, "g/r0"}, outcome);
  EXPECT_TRUE(fs::is_empty(folder_));
}

std::vector<double> numbers_of(const reporting::RawPart& part) {
  std::vector<double> numbers(part.values.size() / sizeof(double));
  std::memcpy(numbers.data(), part.values.data(), part.values.size());
  return numbers;
}

TEST(RawStepsOfARank, AreOneWindowOrItsStretches) {
  Window window{.wall_s = 1.5, .iterations = 2, .losses = {}};
  window.steps.step_s = {1, 0.5};
  EXPECT_EQ(numbers_of(raw_steps(window, {})), (std::vector<double>{1.5, 2, 2, 0, 1, 0.5}));
  window.stretches = {{.wall_s = 1, .steps = 1, .entries = 1, .epoch = 1},
                      {.wall_s = 0.5, .steps = 1, .entries = 1, .epoch = 2}};
  EXPECT_EQ(numbers_of(raw_steps(window, {})),
            (std::vector<double>{1, 0.5, 1, 1, 1, 1, 1, 2, 1, 0.5}));
}

}  // namespace
}  // namespace scalemark::running
