#include "core/reporting/writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/reporting/report_json.h"
#include "tests/core/reporting/sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

class Writer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/scalemark-writer-XXXXXX";
    folder_ = fs::path(mkdtemp(name.data())) / "run";
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  std::string read(const char* file) const {
    std::ifstream stream(folder_ / file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  Report saved() const { return report_from_json(read("report.json"), "report.json"); }
  static Report empty() {
    auto report = sample_report(1, false);
    report.points.clear();
    report.finished.clear();
    return report;
  }

  fs::path folder_;
};

template <class Action>
ErrorRecord error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.record();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST_F(Writer, ReportJsonIsCompleteAfterEveryEvent) {
  ReportWriter writer(folder_, empty());
  EXPECT_EQ(saved().status, ReportStatus::kPartial);
  EXPECT_FALSE(saved().exit_code);

  writer.event("window", "text with \"quotes\"\n");
  writer.add_point(sample_point(2), {{"padding", "info", "p0.r0", "x"}});
  writer.add_error(bad_data("seen").record());
  EXPECT_EQ(saved().points.size(), 1u);
  EXPECT_EQ(saved().findings.size(), 1u);

  writer.close(ReportStatus::kInterrupted, 75);
  writer.close(ReportStatus::kComplete, 0);  // the first close decides
  EXPECT_EQ(saved().status, ReportStatus::kInterrupted);
  EXPECT_EQ(saved().exit_code, 75);
  EXPECT_FALSE(saved().finished.empty());

  const auto journal = read("journal.jsonl");
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 7);
  EXPECT_FALSE(fs::exists(folder_ / "report.json.tmp"));
}

// What is to be written before the report says that all is well may fail: then it does not say so.
TEST_F(Writer, AReportIsClosedOnlyAfterWhatComesBefore) {
  ReportWriter writer(folder_, empty());
  const auto full_disk = [](const Report&) { throw io_error("no space"); };
  EXPECT_EQ(error_of([&] { writer.close(ReportStatus::kComplete, 0, full_disk); }).exit_code,
            ExitCode::kIo);
  EXPECT_EQ(saved().status, ReportStatus::kPartial);
  writer.close(ReportStatus::kFailed, 74, [&](const Report& closed) {
    EXPECT_EQ(closed.status, ReportStatus::kFailed) << "it sees the report as it will be";
    EXPECT_EQ(closed.exit_code, 74);
    EXPECT_FALSE(closed.finished.empty());
    EXPECT_EQ(saved().status, ReportStatus::kPartial);
  });
  EXPECT_EQ(saved().status, ReportStatus::kFailed);
}

TEST_F(Writer, AFolderWithContentsIsRefusedUnlessOverwritten) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "theirs") << "keep";
  std::ofstream(folder_ / "journal.jsonl") << "old\n";
  std::ofstream(folder_ / "report.html") << "of another run";
  const auto error = error_of([&] { ReportWriter(folder_, empty()); });
  EXPECT_EQ(error.exit_code, ExitCode::kCannotCreateOutput);
  EXPECT_EQ(read("journal.jsonl"), "old\n");

  ReportWriter writer(folder_, empty(), ExistingFolder::kOverwrite);
  EXPECT_EQ(read("journal.jsonl").find("old"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "report.html"));
  EXPECT_EQ(read("theirs"), "keep");
}

TEST_F(Writer, AFolderThatCannotBeMadeIs73) {
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "a file";
  const auto error = error_of([&] { ReportWriter(folder_, empty()); });
  EXPECT_EQ(error.exit_code, ExitCode::kCannotCreateOutput);
  EXPECT_NE(error.what.find(folder_.string()), std::string::npos);
}

TEST_F(Writer, AFullDeviceIs74WithPathAndReason) {
  const auto error = error_of([] { Journal("/dev/full").append("line"); });
  EXPECT_EQ(error.exit_code, ExitCode::kIo);
  EXPECT_NE(error.what.find("/dev/full"), std::string::npos) << error.what;
  EXPECT_NE(error.what.find("No space left on device"), std::string::npos) << error.what;
}

// A real file system of 2 MiB that is filled to the last byte while the run goes on.
TEST_F(Writer, AFullDiskEndsAsFailedAndKeepsWhatWasMeasured) {
  fs::create_directories(folder_);
  if (mount("scalemark-test", folder_.c_str(), "tmpfs", 0, "size=2m") != 0) {
    GTEST_SKIP() << "no small file system to fill here: " << std::strerror(errno);
  }
  {
    ReportWriter writer(folder_, empty());
    writer.add_point(sample_point(1));
    std::ofstream filler(folder_ / "filler");
    while (filler << std::string(4096, 'x') << std::flush) {
    }
    filler.close();
    EXPECT_EQ(error_of([&] {
                for (int i = 0; i < 1000; ++i) writer.add_point(sample_point(1));
              }).exit_code,
              ExitCode::kIo);
    EXPECT_EQ(saved().status, ReportStatus::kPartial);
    try {
      writer.close(ReportStatus::kFailed, 74);
    } catch (const Error&) {  // the journal may still lack room; the report must not
    }
    EXPECT_EQ(saved().status, ReportStatus::kFailed);
    EXPECT_EQ(saved().exit_code, 74);
    EXPECT_GE(saved().points.size(), 1u);
  }
  EXPECT_EQ(umount(folder_.c_str()), 0);
}

// The disk ends in the middle of a file: in a child, because the limit stays.
TEST_F(Writer, WhenTheDiskEndsTheLastCompleteReportStays) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    ReportWriter writer(folder_, empty());
    const auto room = fs::file_size(folder_ / "report.json") + 200;
    const rlimit limit = {room, room};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      writer.add_finding({"code", "info", "", std::string(150, 'x')});  // journal holds, report not
    } catch (const Error& error) {
      _exit(static_cast<int>(error.record().exit_code));
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 74);
  EXPECT_TRUE(saved().findings.empty());  // the version before, whole
  EXPECT_FALSE(fs::exists(folder_ / "report.json.tmp"));
}

TEST_F(Writer, TheJournalNeverEndsInHalfALine) {
  fs::create_directories(folder_);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    Journal journal(folder_ / "journal.jsonl");
    journal.append(std::string(60, 'a'));
    try {
      journal.append(std::string(60, 'b'));
    } catch (const Error& error) {
      _exit(static_cast<int>(error.record().exit_code));
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 74);
  EXPECT_EQ(read("journal.jsonl"), std::string(60, 'a') + "\n");
}

}  // namespace
}  // namespace scalemark::reporting
