#include "apps/scalemark/watched_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/base/error.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

TEST(StatusAge, IsByTheWritersClockUnlessThatIsAhead) {
  EXPECT_EQ(status_age_s(100, 103, 110, std::nullopt), 10);
  EXPECT_EQ(status_age_s(170, 103, 110, std::nullopt), 7);  // a clock that is ahead
  EXPECT_EQ(status_age_s(170, 180, 110, std::nullopt), 0);
  EXPECT_EQ(status_age_s(std::nullopt, 103, 110, std::nullopt), 7);
  EXPECT_EQ(status_age_s(20, 20, 110, 1.5), 1.5);  // the clocks differ; it changes while it is read
}

class RunsFolder {
 public:
  RunsFolder() : folder_(fs::path(testing::TempDir()) / "watched_runs") { fs::remove_all(folder_); }
  ~RunsFolder() { fs::remove_all(folder_); }
  const fs::path& path() const { return folder_; }

  void add(const std::string& name, const std::string& state, std::time_t written) const {
    fs::create_directories(folder_ / name);
    const fs::path file = folder_ / name / kStatusFile;
    live::Status status{.run_id = name, .command = "train"};
    status.state = state;
    std::ofstream(file) << live::to_json(status);
    const timespec times[2] = {{written, 0}, {written, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

 private:
  fs::path folder_;
};

TEST(NewestRuns, AreTheNewestAndThoseThatRunBesideIt) {
  const RunsFolder runs;
  const auto names = [&] {
    std::string text;
    for (const auto& file : newest_runs({runs.path()})) {
      text += file.parent_path().filename().string() + " ";
    }
    return text;
  };
  EXPECT_EQ(names(), "");
  runs.add("killed-yesterday", "running", 1'000'000);
  EXPECT_EQ(names(), "killed-yesterday ");
  runs.add("old", "complete", 1'080'000);
  runs.add("done", "complete", 1'086'400);
  EXPECT_EQ(names(), "done ");
  runs.add("beside", "running", 1'086'398);
  EXPECT_EQ(names(), "beside done ");
  for (const char* name : {"a", "b", "c", "d"}) runs.add(name, "running", 1'086'401);
  EXPECT_EQ(names(), "a b c d ");
}

TEST(WatchedRun, KeepsWhatItHasWhileAFileIsCutOff) {
  const RunsFolder runs;
  runs.add("a", "running", 1'000'000);
  const fs::path file = runs.path() / "a" / kStatusFile;
  WatchedRun run(status_file((runs.path() / "a").string()));
  EXPECT_TRUE(run.read());
  EXPECT_FALSE(run.read());
  std::ofstream(file) << R"({"schema": "scalem)";
  EXPECT_TRUE(run.read());
  EXPECT_TRUE(run.shown().status);
  EXPECT_NE(run.shown().problem.find("is no status of a run"), std::string::npos);
  runs.add("a", "complete", 1'000'002);
  EXPECT_TRUE(run.read());
  EXPECT_EQ(run.shown().status->state, "complete");
  EXPECT_EQ(run.shown().problem, "");
  fs::remove(file);
  EXPECT_TRUE(run.read());
  EXPECT_NE(run.shown().problem, "");
}

TEST(WatchedRun, SaysThatAFileIsEmptyFromTheFirstReading) {
  const RunsFolder runs;
  runs.add("a", "running", 1'000'000);
  std::ofstream(runs.path() / "a" / kStatusFile).flush();
  WatchedRun run(status_file((runs.path() / "a").string()));
  EXPECT_TRUE(run.read());
  EXPECT_NE(run.shown().problem.find("'status.json' is empty"), std::string::npos);
}

TEST(NewestRuns, PassOverHiddenFolders) {
  const RunsFolder runs;
  runs.add(".snapshot", "running", 1'000'002);
  runs.add("a", "running", 1'000'000);
  ASSERT_EQ(newest_runs({runs.path()}).size(), 1u);
  EXPECT_EQ(newest_runs({runs.path()}).front().parent_path().filename(), "a");
}

TEST(StatusFile, SaysWhatWasLookedFor) {
  const RunsFolder runs;
  EXPECT_THROW(status_file((runs.path() / "none").string()), Error);
}

}  // namespace
}  // namespace scalemark::cli
