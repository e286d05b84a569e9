#include "report/keep/writer.h"

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
#include <functional>
#include <sstream>

#include "report/keep/earlier.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

class Writer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/scalemark-writer-XXXXXX";
    made_ = mkdtemp(name.data());
    folder_ = made_ / "run";
  }
  void TearDown() override {
    for (const fs::path& folder : {made_, folder_.parent_path()}) fs::remove_all(folder);
  }

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

  fs::path made_, folder_;
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

TEST_F(Writer, ReportJsonIsACompleteVersionAtEveryTime) {
  ReportWriter writer(folder_, empty());
  EXPECT_EQ(saved().status, ReportStatus::kPartial);
  EXPECT_FALSE(saved().exit_code);

  writer.event("window", "text with \"quotes\"\n");
  writer.add_point(sample_point(2), {{"padding", "info", "p0.r0", "x"}});
  writer.add_error(bad_data("seen").record());
  EXPECT_EQ(saved().points.size(), 1u);
  EXPECT_EQ(saved().findings.size(), 1u);
  EXPECT_EQ(saved().errors.size(), 1u) << "an error is there at once";

  writer.close(ReportStatus::kInterrupted, 75);
  writer.close(ReportStatus::kComplete, 0);  // the first close decides
  EXPECT_EQ(saved().status, ReportStatus::kInterrupted);
  EXPECT_EQ(saved().exit_code, 75);
  EXPECT_FALSE(saved().finished.empty());

  const auto journal = read("journal.jsonl");
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 7);
  EXPECT_FALSE(fs::exists(folder_ / "report.json.tmp"));
}

// Rows are in the journal at once and in report.json every 10 s; a reader of both sees each once.
TEST_F(Writer, ReportJsonFollowsTheJournal) {
  SteadyTime now{std::chrono::hours(1)};
  ReportWriter writer({folder_, ExistingFolder::kRefuse}, empty(), [&now] { return now; });
  std::vector<std::size_t> seen;
  for (int i = 0; i < 8; ++i) {
    PointRecord point = sample_point(1);
    point.id = "p0.r" + std::to_string(i);
    writer.add_point(point, {{"x", "info", point.id, "of it"}});
    seen.push_back(saved().points.size());
    const auto both = read_earlier(folder_);
    ASSERT_EQ(both->points.size(), static_cast<std::size_t>(i + 1));
    EXPECT_EQ(both->points.back().id, point.id);
    EXPECT_EQ(both->findings.size(), both->points.size());
    now += std::chrono::seconds(4);
  }
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 0, 4, 4, 4, 7, 7}));
  writer.close(ReportStatus::kComplete, 0);
  EXPECT_EQ(saved().points.size(), 8u);
}

TEST_F(Writer, CollectivesAndLinksAreInTheJournalAtOnce) {
  SteadyTime now{std::chrono::hours(1)};
  ReportWriter writer({folder_, ExistingFolder::kRefuse}, empty(), [&now] { return now; });
  CollectiveRecord run;
  run.id = "g/r0";
  run.iterations = 7;
  run.wrong = 0;
  writer.add_collective(run, {{"x", "info", "g/r0", "of it"}});
  writer.add_links({{"n1", "n2", 1e-3, 2.5}}, {{"link_latency", "warning", "", "of a link"}});
  EXPECT_TRUE(saved().collectives.empty()) << "report.json follows later";
  for (int reading = 0; reading < 2; ++reading) {
    const Report both = read_earlier(folder_).value();
    ASSERT_EQ(both.collectives.size(), 1u);
    EXPECT_EQ(both.collectives[0].iterations, 7);
    EXPECT_EQ(both.links, (std::vector<LinkRecord>{{"n1", "n2", 1e-3, 2.5}}));
    ASSERT_EQ(both.findings.size(), 2u);
    EXPECT_EQ(both.findings[0].text, "of it");
    EXPECT_EQ(both.findings[1].text, "of a link");
    if (reading == 0) writer.close(ReportStatus::kInterrupted, 130);  // now report.json has them
  }
  EXPECT_EQ(saved().collectives.size(), 1u);
}

TEST(SavePace, TakesOnePercentOfTheTimeAtMost) {
  using std::chrono::seconds;
  SavePace pace;
  const SteadyTime begin{seconds(1000)};
  EXPECT_TRUE(pace.due(begin));
  pace.saved(begin, begin + std::chrono::milliseconds(5));
  EXPECT_FALSE(pace.due(begin + seconds(10)));
  EXPECT_TRUE(pace.due(begin + seconds(11)));
  pace.saved(begin, begin + seconds(3));
  EXPECT_FALSE(pace.due(begin + seconds(299)));
  EXPECT_TRUE(pace.due(begin + seconds(300)));
}

std::uint64_t bytes_written() {
  std::ifstream io("/proc/self/io");
  for (std::string key; io >> key;) {
    std::uint64_t value = 0;
    if (io >> value; key == "wchar:") return value;
  }
  ADD_FAILURE() << "/proc/self/io has no wchar";
  return 0;
}

// 2,000 rows: each is written to the journal, and report.json a few times, not 2,000.
TEST_F(Writer, WritesAsManyBytesAsThereAreRows) {
  constexpr int kRows = 2000;
  if (fs::is_directory("/dev/shm")) folder_ = "/dev/shm" / folder_.parent_path().filename() / "run";
  ReportWriter writer(folder_, empty());
  PointRecord point = sample_point(1);
  const std::uint64_t before = bytes_written();
  for (int i = 0; i < kRows; ++i) {
    point.id = "p0.r" + std::to_string(i);
    writer.add_point(point);
  }
  writer.close(ReportStatus::kComplete, 0);
  const std::uint64_t written = bytes_written() - before;
  const auto journal = fs::file_size(folder_ / "journal.jsonl");
  const auto report = fs::file_size(folder_ / "report.json");
  RecordProperty("journal_bytes_per_row", static_cast<int>(journal / kRows));
  RecordProperty("report_bytes_per_row", static_cast<int>(report / kRows));
  EXPECT_LT(written, journal + 4 * report) << journal << " bytes of journal, " << report;
  EXPECT_EQ(saved().points.size(), static_cast<std::size_t>(kRows));
}

// Other files are written before the report says that all is well; where that fails, the report
// must not say so.
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
  const std::string old = "{\"event\":\"old\"}\n";
  std::ofstream(folder_ / "journal.jsonl") << old;
  std::ofstream(folder_ / "report.html") << "<title>scalemark</title> of another run";
  const auto error = error_of([&] { ReportWriter(folder_, empty()); });
  EXPECT_EQ(error.exit_code, ExitCode::kCannotCreateOutput);
  EXPECT_EQ(read("journal.jsonl"), old);

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

// A real file system of 2 MiB that is filled to the last byte while the run lasts.
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
      writer.add_error(io_error("no space").record());
      writer.close(ReportStatus::kFailed, 74);
    } catch (const Error&) {  // the journal may still lack room; the report must not
    }
    ASSERT_EQ(saved().errors.size(), 1u);
    EXPECT_EQ(saved().errors[0].code, "E_IO");
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
      writer.amend([](Report&) {});
      writer.close(ReportStatus::kComplete, 0);
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

// The journal takes no more line, the report does: it says why.
TEST_F(Writer, AnErrorReachesTheReportWhateverBecomesOfTheJournal) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    ReportWriter writer(folder_, empty());
    writer.event("long", std::string(1 << 20, 'x'));
    const auto room = fs::file_size(folder_ / "journal.jsonl") + 10;
    const rlimit limit = {room, room};
    setrlimit(RLIMIT_FSIZE, &limit);
    int thrown = 0;
    for (const auto& action : std::vector<std::function<void()>>{
             [&] { writer.add_error(io_error("the disk is full").record()); },
             [&] { writer.close(ReportStatus::kFailed, 74); }}) {
      try {
        action();
      } catch (const Error&) {
        ++thrown;
      }
    }
    _exit(thrown);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2) << "both say that the journal is not what it should be";
  EXPECT_EQ(saved().status, ReportStatus::kFailed);
  ASSERT_EQ(saved().errors.size(), 1u);
  EXPECT_EQ(saved().errors[0].code, "E_IO");
}

TEST_F(Writer, AReportThatAnotherSessionContinuesStaysOpen) {
  ReportWriter writer(folder_, empty());
  writer.close(ReportStatus::kPartial, 2);
  EXPECT_EQ(saved().status, ReportStatus::kPartial);
  EXPECT_FALSE(saved().exit_code);
  EXPECT_TRUE(saved().finished.empty());
}

TEST_F(Writer, AReportThatAKilledRankLeftOpenIsClosedForIt) {
  const int child = fork();
  if (child == 0) {
    ReportWriter writer(folder_, empty());
    writer.add_point(sample_point(1));  // in the journal, and perhaps not in report.json
    _exit(0);                           // without destructors, as SIGKILL does it
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(folder_ / ".reserve"));
  EXPECT_TRUE(close_left_open(folder_, bad_data("seen").record(), 65, ExistingFolder::kContinue));
  EXPECT_EQ(saved().status, ReportStatus::kFailed);
  EXPECT_EQ(saved().exit_code, 65);
  ASSERT_EQ(saved().errors.size(), 1u);
  EXPECT_EQ(saved().points.size(), 1u);
  EXPECT_FALSE(saved().finished.empty());
  EXPECT_FALSE(fs::exists(folder_ / ".reserve"));
  EXPECT_FALSE(close_left_open(folder_, bad_data("more").record(), 66, ExistingFolder::kContinue));
  EXPECT_EQ(saved().errors.size(), 1u) << "a report that is closed stays as it is";
  EXPECT_FALSE(
      close_left_open(made_ / "none", bad_data("x").record(), 65, ExistingFolder::kContinue));
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
