#include "report/keep/raw_steps.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

class RawStepsFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/scalemark-raw-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<double> numbers_of(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

RawSteps two_steps(double scale) {
  RawSteps steps;
  steps.windows = {{.wall_s = 30 * scale, .steps = 2, .entries = 2}};
  steps.step_s = {28 * scale, 35 * scale};
  for (const double s : {scale, 1.25 * scale}) {
    steps.phases_s.push_back({s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s});
  }
  return steps;
}

TEST(RawPart, HoldsTableAfterTableAndColumnAfterColumn) {
  auto steps = two_steps(1);
  steps.cost_blocks = {{.step_s = 0.5, .own_s = 0.25}, {.step_s = 0.75, .own_s = 0.125}};
  const RawPart part = raw_part(steps);
  ASSERT_EQ(part.tables.size(), 3u);
  EXPECT_EQ(part.tables[0].name, "windows");
  EXPECT_EQ(part.tables[1].name, "steps");
  EXPECT_EQ(part.tables[1].rows, 2);
  EXPECT_EQ(part.tables[1].columns.size(), 8u);
  EXPECT_EQ(part.tables[1].columns[5].name, "exposed_communication");
  EXPECT_EQ(part.tables[1].columns[5].unit, "s");
  EXPECT_EQ(part.tables[2].name, "communication_cost_blocks");
  const std::vector<double> expected{30,   2,  2,   0,  // window
                                     28,   35, 1,   1.25, 2,    2.5, 3,    3.75, 4,
                                     5,    5,                                             // steps
                                     6.25, 6,  7.5, 7,    8.75, 0.5, 0.75, 0.25, 0.125};  // blocks
  EXPECT_EQ(numbers_of(part.values), expected);
}

TEST(RawPart, LeavesOutWhatWasNotMarked) {
  auto steps = two_steps(1);
  steps.phases_s.clear();
  steps.cost_blocks = {{.step_s = 0.5, .own_s = {}}};
  const RawPart part = raw_part(steps);
  EXPECT_EQ(part.tables.at(1).columns.size(), 1u);
  EXPECT_EQ(part.tables.at(2).columns.size(), 1u);
  EXPECT_EQ(numbers_of(part.values), (std::vector<double>{30, 2, 2, 0, 28, 35, 0.5}));
  steps.phases_s.resize(1);
  EXPECT_THROW(raw_part(steps), Error) << "phases of one step of two";
}

TEST(RawStepsHeader, IsALineOfJsonAndAligned) {
  for (const std::string point : {"p/r0", "p/r01", "p/r012", "with \"quotes\"\n/r0"}) {
    const std::vector<RawRank> ranks{{0, 16}, {3, 8}};
    const std::string header = raw_steps_header(point, raw_part(two_steps(1)), ranks);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.find('\n'), header.size() - 1);
    const auto json = nlohmann::json::parse(header);
    EXPECT_EQ(json.at("format"), "scalemark.raw_steps/1");
    EXPECT_EQ(json.at("point"), point);
    EXPECT_EQ(json.at("ranks").at(1).at("rank"), 3);
    EXPECT_EQ(json.at("ranks").at(1).at("samples"), 8);
    EXPECT_EQ(json.at("tables").at(0).at("columns").at(0).at("unit"), "s");
  }
}

TEST_F(RawStepsFiles, HoldEveryRankWhateverTheOrderOfPieces) {
  const RawPart first = raw_part(two_steps(1)), second = raw_part(two_steps(0.5));
  const std::string header = raw_steps_header("g/r1", first, std::vector<RawRank>{{0, 2}, {1, 2}});
  RawStepsFile file(folder_, "g/r1", header, 2, first.values.size());
  const std::size_t half = first.values.size() / 2;
  file.write(1, half, second.values.substr(half));
  file.write(0, 0, first.values);
  EXPECT_FALSE(fs::exists(folder_ / "raw/g/r1.steps")) << "not before it is whole";
  EXPECT_THROW(file.finish(), Error);
  file.write(1, 0, second.values.substr(0, half));
  file.finish();
  EXPECT_EQ(file.path(), folder_ / raw_steps_name("g/r1"));
  EXPECT_EQ(text_of(folder_ / "raw/g/r1.steps"), header + first.values + second.values);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "raw/g"), {}), 1) << "nothing else";
}

TEST_F(RawStepsFiles, OfARunThatWasRepeatedAreReplaced) {
  const RawPart part = raw_part(two_steps(1));
  for (const std::string header : {"first\n", "second\n"}) {
    RawStepsFile file(folder_, "g/r0", header, 1, part.values.size());
    file.write(0, 0, part.values);
    file.finish();
    EXPECT_EQ(text_of(file.path()), header + part.values);
  }
}

TEST_F(RawStepsFiles, LeaveNothingWhenTheyAreNotFinished) {
  { RawStepsFile(folder_, "g/r0", "header\n", 1, 8).write(0, 0, "1234"); }
  EXPECT_TRUE(fs::is_empty(folder_ / "raw/g"));
  RawStepsFile file(folder_, "g/r0", "header\n", 1, 8);
  EXPECT_THROW(file.write(0, 4, "12345"), Error) << "past the end of the rank's part";
}

TEST_F(RawStepsFiles, OfAnEarlierRunAreRemovedAndNothingElse) {
  remove_raw_steps(folder_);  // there are none
  for (const char* ours : {"raw/a/r0.steps", "raw/a/r1.steps.tmp", "raw/b/r0.steps"}) {
    fs::create_directories((folder_ / ours).parent_path());
    std::ofstream(folder_ / ours) << "{\"format\":\"scalemark.raw_steps/1\",";
  }
  std::ofstream(folder_ / "raw/b/photo.raw") << "somebody's";
  std::ofstream(folder_ / "raw/b/dance.steps") << "somebody's";
  fs::create_directory_symlink("/", folder_ / "raw/elsewhere");
  remove_raw_steps(folder_);
  EXPECT_FALSE(fs::exists(folder_ / "raw/a"));
  EXPECT_FALSE(fs::exists(folder_ / "raw/b/r0.steps"));
  EXPECT_TRUE(fs::exists(folder_ / "raw/b/photo.raw"));
  EXPECT_TRUE(fs::exists(folder_ / "raw/b/dance.steps"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "raw/elsewhere"));
}

TEST_F(RawStepsFiles, InAFolderThatCannotBeMadeAreRefused) {
  std::ofstream(folder_ / "raw") << "a file";
  try {
    RawStepsFile file(folder_, "g/r0", "header\n", 1, 8);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput) << error.what();
  }
}

}  // namespace
}  // namespace scalemark::reporting
