#include "report/keep/output_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "report/keep/earlier.h"
#include "report/keep/writer.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/scalemark-folder-XXXXXX";
    folder_ = fs::path(mkdtemp(name.data())) / "run";
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  std::string read(const char* file) const {
    std::ifstream stream(folder_ / file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  void put(const char* file, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / file) << text;
  }
  // Opened so, the folder is refused with 73.
  void refused(ExistingFolder existing) const {
    try {
      OutputFolder opened(folder_, existing);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput) << error.what();
    }
  }
  static Report empty() {
    Report report = sample_report(1, false);
    report.points.clear();
    return report;
  }

  fs::path folder_;
};

TEST_F(Folder, OfALiveRunIsRefusedAndUnharmedHoweverItIsOpened) {
  ReportWriter first(folder_, empty());
  first.add_finding({"first", "info", "", "of the first run"});
  const std::string report = read("report.json"), journal = read("journal.jsonl");
  for (const auto existing : {ExistingFolder::kRefuse, ExistingFolder::kOverwrite,
                              ExistingFolder::kContinue, ExistingFolder::kContinueBlock}) {
    refused(existing);
    EXPECT_EQ(read("report.json"), report);
    EXPECT_EQ(read("journal.jsonl"), journal);
    EXPECT_TRUE(fs::exists(folder_ / ".reserve"));
  }
  first.add_point(sample_point(1));
  first.close(ReportStatus::kComplete, 0);
  EXPECT_EQ(read_earlier(folder_)->points.size(), 1u);
}

// A launcher with --fresh-process holds the folder while no rank of it lives.
TEST_F(Folder, HeldByALauncherIsFreeForItsBlocksOnly) {
  const LockedFile held = lock_output_folder(folder_, ExistingFolder::kRefuse);
  for (int block = 0; block < 2; ++block) {
    OutputFolder ranks(folder_, ExistingFolder::kContinueBlock);
    refused(ExistingFolder::kContinueBlock);
  }
  refused(ExistingFolder::kOverwrite);
  refused(ExistingFolder::kContinue);
}

// The journal was removed by hand, or by an older version, while somebody waited to lock it: a
// lock on what nobody sees is none.
TEST_F(Folder, ALockIsOfTheFileThatStandsThere) {
  fs::create_directories(folder_);
  const fs::path file = folder_ / "journal.jsonl";
  const LockedFile removed(file, O_WRONLY | O_CREAT);
  fs::remove(file);
  const LockedFile now(file, O_WRONLY | O_CREAT);
  EXPECT_THROW(LockedFile(file, O_WRONLY | O_CREAT), Error);
}

TEST_F(Folder, OfAnEarlierSweepNamesTheWayOn) {
  const auto hint = [&](bool is_of_sweep) {
    try {
      refuse_used_folder(folder_, ExistingFolder::kRefuse, is_of_sweep);
    } catch (const Error& error) {
      return error.record().hint;
    }
    return std::string();
  };
  put("journal.jsonl", "{\"event\":\"started\"}\n");
  EXPECT_EQ(hint(true), "choose another --output, or pass --overwrite") << "nothing was measured";
  put("journal.jsonl", "{\"event\":\"point\",\"point\":{}}\n");
  EXPECT_NE(hint(true).find("--resume goes on"), std::string::npos);
  EXPECT_EQ(hint(false), "choose another --output, or pass --overwrite") << "a train has none";
}

TEST_F(Folder, IsEmptiedOfOurFilesOnly) {
  put("theirs", "keep");
  put("report.json", "{\n  \"schema\": \"scalemark.report/1\"");
  put("report.json.tmp", "{\n  \"sch");
  put("report.md", "# Sweep report\n");
  put("report.html", "<title>scalemark</title>");
  put(".reserve", std::string(100, '\0'));
  put("journal.jsonl", "{\"time\":\"2026\",\"event\":\"started\"}\n");
  fs::create_directory(folder_ / "hang");
  put("hang/stacks.txt", "scalemark: how the ranks stand, 2026\n");
  OutputFolder opened(folder_, ExistingFolder::kOverwrite);
  EXPECT_EQ(read("theirs"), "keep");
  EXPECT_EQ(read("journal.jsonl"), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "theirs and the journal";
}

// Its names are plain ones: somebody else's report.md stays, and the run is refused.
TEST_F(Folder, WithSomebodysFileUnderOneOfOurNamesIsRefused) {
  for (const char* name : {"report.json", "report.md", "report.html", "status.json",
                           "journal.jsonl", "metrics-target.json"}) {
    put(name, "{\"score\": 1}");
    refused(ExistingFolder::kOverwrite);
    EXPECT_EQ(read(name), "{\"score\": 1}");
    fs::remove_all(folder_);
  }
  put("elsewhere", "mine");
  fs::create_symlink("elsewhere", folder_ / "report.md");  // it would be written through
  refused(ExistingFolder::kOverwrite);
  EXPECT_EQ(read("report.md"), "mine");
}

TEST_F(Folder, LosesNoCheckpointButOurs) {
  const std::string manifest = "{\"step\": 5, \"same\": {}, \"files\": []}";
  for (const char* step : {"checkpoints/step-5", "checkpoints/step-6",
                           "checkpoints/step-10.unfinished", "checkpoints/step-11.unfinished"}) {
    fs::create_directories(folder_ / step);
    put((std::string(step) + "/rank-0.safetensors").c_str(), "weights");
  }
  put("checkpoints/step-11.unfinished/rank-1.safetensors.tmp-4711", "wei");
  put("checkpoints/step-5/checkpoint.json", manifest);
  OutputFolder(folder_, ExistingFolder::kOverwrite);
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints"));

  const std::vector<const char*> theirs = {
      "checkpoints/best.safetensors", "checkpoints/last/model.pt",
      "checkpoints/step-7/model.pt",  "checkpoints/step-8/checkpoint.json",
      "checkpoints/step-9/notes.txt", "elsewhere/step-6/x"};
  for (const char* folder : {"last", "step-7", "step-8", "step-9"})
    fs::create_directories(folder_ / "checkpoints" / folder);
  fs::create_directories(folder_ / "elsewhere/step-6");
  for (const char* file : theirs) put(file, "mine");
  put("checkpoints/step-9/checkpoint.json", manifest);
  put("elsewhere/step-6/checkpoint.json", manifest);
  fs::create_directory_symlink("../elsewhere/step-6", folder_ / "checkpoints/step-6");
  OutputFolder(folder_, ExistingFolder::kOverwrite);
  for (const char* file : theirs) EXPECT_EQ(read(file), "mine") << file;
  EXPECT_EQ(read("elsewhere/step-6/checkpoint.json"), manifest) << "a link is not followed";
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints/step-9/checkpoint.json"));

  fs::rename(folder_ / "checkpoints", folder_ / "disk");
  put("disk/step-9/checkpoint.json", manifest);
  fs::create_directory_symlink("disk", folder_ / "checkpoints");
  OutputFolder(folder_, ExistingFolder::kOverwrite);
  EXPECT_FALSE(fs::exists(folder_ / "disk/step-9/checkpoint.json")) << "a new run writes there";
  EXPECT_TRUE(fs::is_symlink(folder_ / "checkpoints"));
}

// Killed between the journal's first line and the first report.json: --resume continues.
TEST_F(Folder, OfASessionThatWasKilledAsItBeganIsContinued) {
  for (const char* journal :
       {"", "{\"event\":\"started\"}\n", "{\"event\":\"sta", "{\"event\":\"started\"}\n{\"ev"}) {
    put("journal.jsonl", journal);
    put("report.json.tmp", "{\"sch");
    put(".reserve", "");
    EXPECT_FALSE(read_earlier(folder_));
    {
      ReportWriter writer(folder_, empty(), ExistingFolder::kContinue);
      writer.add_point(sample_point(1));
    }
    EXPECT_EQ(read_earlier(folder_)->points.size(), 1u) << journal;
    fs::remove_all(folder_);
  }
}

TEST_F(Folder, WithoutAReportIsNotContinuedOverWhatMayBeSomebodys) {
  put("thesis.tex", "keep");
  refused(ExistingFolder::kContinue);
  fs::remove_all(folder_);
  put("journal.jsonl", "{\"event\":\"point\",\"point\":{}}\n");  // rows, whose report is gone
  refused(ExistingFolder::kContinue);
  EXPECT_NE(read("journal.jsonl"), "");
}

TEST_F(Folder, WhoseReportCannotBeReadIsNotTakenForANewOne) {
  put("journal.jsonl", "");
  fs::create_symlink("report.json", folder_ / "report.json");  // ELOOP: there, and unreadable
  const std::vector<std::function<void()>> attempts = {
      [&] { read_earlier(folder_); }, [&] { OutputFolder(folder_, ExistingFolder::kContinue); }};
  for (const auto& attempt : attempts) {
    try {
      attempt();
      ADD_FAILURE() << "taken for absent";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kIo) << error.what();
      EXPECT_NE(error.record().what.find("report.json"), std::string::npos) << error.what();
    }
  }
}

TEST_F(Folder, OfAnEarlierSessionKeepsNoPageOfIt) {
  { ReportWriter first(folder_, empty()); }
  put("report.md", "# Sweep report\n\nof the first session");
  put("report.html", "<title>scalemark</title> of the first session");
  ReportWriter second(folder_, *read_earlier(folder_), ExistingFolder::kContinue);
  EXPECT_FALSE(fs::exists(folder_ / "report.md"));
  EXPECT_FALSE(fs::exists(folder_ / "report.html"));
}

}  // namespace
}  // namespace scalemark::reporting
