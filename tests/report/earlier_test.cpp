#include "report/keep/earlier.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "report/keep/writer.h"
#include "report/record/report_json.h"
#include "sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

class Earlier : public ::testing::Test {
 protected:
  Earlier() { fs::remove_all(folder_); }
  ~Earlier() override { fs::remove_all(folder_); }

  PointRecord point(const std::string& id) {
    PointRecord point = sample_point(1);
    point.id = id;
    return point;
  }

  void append_to_journal(const std::string& text) {
    std::ofstream(folder_ / "journal.jsonl", std::ios::app) << text;
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("scalemark-earlier-" + std::to_string(::getpid()));
};

TEST_F(Earlier, IsAbsentWhenThereIsNoFolder) { EXPECT_FALSE(read_earlier(folder_)); }

TEST_F(Earlier, HoldsThePointsOfTheReport) {
  {
    ReportWriter writer(folder_, sample_report(1, false));
    writer.add_point(point("a/r0"));
  }
  const auto report = read_earlier(folder_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->points.back().id, "a/r0");
}

TEST_F(Earlier, TakesFromTheJournalWhatTheReportDidNotGet) {
  { ReportWriter writer(folder_, sample_report(1, false)); }
  append_to_journal("{\"event\":\"point\",\"point\":" + to_json_line(point("b/r0"), "point") +
                    "}\n");
  append_to_journal("{\"event\":\"point\",\"poi");  // killed while writing
  const auto report = read_earlier(folder_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->points.back().id, "b/r0");
}

TEST_F(Earlier, TakesTheFindingsOfSuchAPointToo) {
  Report written = sample_report(1, false);
  const std::size_t findings = written.findings.size();
  { ReportWriter writer(folder_, written); }
  const auto finding = [](const std::string& point) {
    return "{\"event\":\"finding\",\"finding\":" +
           to_json_line(Finding{"not_steady", "warning", point, "of " + point}, "finding") + "}\n";
  };
  append_to_journal("{\"event\":\"point\",\"point\":" + to_json_line(point("b/r0"), "point") +
                    "}\n" + finding("b/r0") + finding(written.points[0].id));
  const auto report = read_earlier(folder_);
  ASSERT_EQ(report->findings.size(), findings + 1) << "the report holds those of its own points";
  EXPECT_EQ(report->findings.back().text, "of b/r0");
}

// Killed while writing, continued, continued again: what was torn is gone, nothing else is.
TEST_F(Earlier, TakesTheTelemetryOfSuchAPointToo) {
  const auto of = [](const std::string& id) {
    return std::vector<TelemetryRecord>{{id, "n1", {.source = "steal_cpus", .n = 3, .mean = 0.5}},
                                        {id, "n1", {.source = "busy_cpus", .n = 3, .mean = 2}}};
  };
  {
    ReportWriter writer(folder_, sample_report(1, false));
    writer.add_point(point("a/r0"), {}, of("a/r0"));
    writer.close(ReportStatus::kInterrupted, 0);
  }
  append_to_journal(
      "{\"event\":\"telemetry\",\"telemetry\":" + to_json_line(of("x/r0"), "telemetry") + "}\n");
  append_to_journal("{\"event\":\"point\",\"point\":" + to_json_line(point("b/r0"), "point") +
                    "}\n");
  append_to_journal(
      "{\"event\":\"telemetry\",\"telemetry\":" + to_json_line(of("b/r0"), "telemetry") + "}\n");
  std::vector<std::string> sources;
  const Report earlier = read_earlier(folder_).value();
  for (const auto& record : earlier.telemetry) {
    sources.push_back(record.point + " " + record.values.source);
  }
  EXPECT_EQ(sources, (std::vector<std::string>{"a/r0 steal_cpus", "a/r0 busy_cpus",
                                               "b/r0 steal_cpus", "b/r0 busy_cpus"}));
}

TEST_F(Earlier, AJournalThatWasTornIsReadAgainAndAgain) {
  const std::string whole =
      "{\"event\":\"point\",\"point\":" + to_json_line(point("b/r0"), "point") + "}";
  for (const std::string& torn : {std::string("\n{\"event\":\"point\",\"poi"), std::string(),
                                  std::string("\n{\"event\":\"wa\n"), std::string("\n\0\0", 3)}) {
    fs::remove_all(folder_);
    { ReportWriter writer(folder_, sample_report(1, false)); }
    append_to_journal(whole + torn);
    for (const char* next : {"c/r0", "d/r0"}) {
      ReportWriter writer(folder_, *read_earlier(folder_), ExistingFolder::kContinue);
      writer.add_point(point(next));
    }
    fs::remove(folder_ / "report.json");  // the journal alone must hold all of them
    std::ofstream(folder_ / "report.json") << to_json(sample_report(1, false));
    std::vector<std::string> ids;
    const auto report = read_earlier(folder_);
    for (const auto& known : report->points) ids.push_back(known.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"p0.r0", "b/r0", "c/r0", "d/r0"})) << torn;
  }
}

TEST_F(Earlier, RefusesADamagedJournal) {
  { ReportWriter writer(folder_, sample_report(1, false)); }
  append_to_journal("{\"event\":\"poi\n{\"event\":\"closed\"}\n");
  EXPECT_THROW(read_earlier(folder_), Error);
}

TEST_F(Earlier, SessionsKeepEveryPointOnce) {
  {
    ReportWriter writer(folder_, sample_report(1, false));
    writer.add_point(point("a/r0"));
  }
  {
    ReportWriter writer(folder_, *read_earlier(folder_), ExistingFolder::kContinue);
    writer.add_point(point("a/r1"));
    writer.close(ReportStatus::kComplete, 0);
  }
  const auto report = read_earlier(folder_);
  std::vector<std::string> ids;
  for (const auto& known : report->points) ids.push_back(known.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"p0.r0", "a/r0", "a/r1"}));
}

TEST_F(Earlier, AFolderThatAnotherRunWritesToIsRefused) {
  ReportWriter writer(folder_, sample_report(1, false));
  EXPECT_THROW(ReportWriter(folder_, sample_report(1, false), ExistingFolder::kContinue), Error);
}

TEST(DataDifferences, NameEachSetOfDataOnce) {
  Report report;
  const auto add = [&](const char* group, const char* data, const char* identity) {
    PointRecord& point = report.points.emplace_back();
    point.group = group;
    point.data = data;
    point.data_identity = identity;
  };
  add("a", "photos", "1111");
  add("a", "photos", "1111");
  add("b", "photos", "1111");
  add("c", "synthetic", "synthetic");
  add("no longer asked for", "photos", "3333");
  add("d", "photos", "");  // an older report did not say
  EXPECT_TRUE(data_differences(report, {{"a", "1111"}, {"b", "1111"}, {"c", "synthetic"}}).empty());
  EXPECT_EQ(
      data_differences(report, {{"a", "2222"}, {"b", "2222"}, {"c", "synthetic"}, {"d", "2222"}}),
      std::vector<std::string>{"the content of --data photos was 1111, now 2222"});
}

TEST(DataDifferences, RowsOfTheSameDataTakeOverHowItsPathIsSpelled) {
  Report report;
  for (const char* data : {"t", "u"}) {
    PointRecord& point = report.points.emplace_back();
    point.group = std::string("of-") + data;
    point.data = data;
    point.data_identity = std::string("content of ") + data;
    point.varying = {{"data", data}};
  }
  const std::map<std::string, std::string> identities{{"of-t", "content of t"},
                                                      {"of-u", "content of u"}},
      others{{"of-t", "content of t"}, {"of-u", "other"}},
      data{{"of-t", "./t"}, {"of-u", "/elsewhere/u/"}};
  const auto now = sameness_of(Tool{}, {{"data", "./t,/elsewhere/u/"}, {"vocab", "./v"}}, {});
  for (const bool same : {true, false}) {
    Report earlier = report;
    auto before = sameness_of(Tool{}, {{"data", "t,u"}, {"vocab", "v"}}, {});
    respell_data(earlier, same ? identities : others, data, before, now);
    EXPECT_EQ(earlier.points[0].data, "./t");
    EXPECT_EQ(earlier.points[0].varying.at("data"), "./t");
    EXPECT_EQ(earlier.points[1].data, same ? "/elsewhere/u/" : "u");
    EXPECT_EQ(differences(before, now),
              same ? std::vector<std::string>{}
                   : (std::vector<std::string>{"data was t,u, now ./t,/elsewhere/u/",
                                               "vocab was v, now ./v"}));
  }
}

TEST_F(Earlier, PathsThatLeadToOneInputAreNoDifference) {
  const fs::path there = folder_ / "there", link = folder_ / "link", file = there / "v.txt",
                 copy = folder_ / "copy.txt", other = folder_ / "other.txt";
  fs::create_directories(there);
  fs::create_directory_symlink(there, link);
  std::ofstream(file) << "one";
  std::ofstream(copy) << "one";
  std::ofstream(other) << "two";
  const auto found = [](const char* name, const std::string& a, const std::string& b) {
    return differences(sameness_of(Tool{}, {{name, a}}, {}), sameness_of(Tool{}, {{name, b}}, {}))
        .size();
  };
  const std::string data = there.string();
  for (const std::string& spelled :
       {data + "/", data + "/.", link.string(), (folder_ / "." / "there").string(),
        fs::relative(there).string(), "./" + fs::relative(there).string()}) {
    EXPECT_EQ(found("data", data, spelled), 0u) << spelled;
    EXPECT_EQ(found("data", data + ",synthetic", spelled + ",synthetic"), 0u) << spelled;
  }
  for (const char* name : {"vocab", "init_from"}) {
    EXPECT_EQ(found(name, file.string(), (link / "v.txt").string()), 0u);
    EXPECT_EQ(found(name, file.string(), copy.string()), 0u);
    EXPECT_EQ(found(name, file.string(), other.string()), 1u);
    EXPECT_EQ(found(name, file.string(), ""), 1u);
  }
  EXPECT_EQ(found("data", data, folder_.string()), 1u);
  EXPECT_EQ(found("data", data, "synthetic"), 1u);
  EXPECT_EQ(found("data", data, data + "," + data), 1u);
  EXPECT_EQ(found("workload", data, data + "/"), 1u) << "only what is a path";
}

TEST(Sameness, IsNotBrokenByAnotherHostOfTheSameKind) {
  monitoring::Host a{.hostname = "n1", .cpu = "EPYC"}, b{.hostname = "n2", .cpu = "EPYC"};
  EXPECT_TRUE(differences(sameness_of(Tool{}, {}, {a}), sameness_of(Tool{}, {}, {b})).empty());
}

TEST(Sameness, IsNotBrokenByMoreRepetitionsOrAnotherPrice) {
  EXPECT_TRUE(differences(sameness_of(Tool{}, {{"repetitions", "3"}, {"retries", "0"}}, {}),
                          sameness_of(Tool{}, {{"repetitions", "9"}, {"price_per_hour", "2"}}, {}))
                  .empty());
}

TEST(Sameness, IsBrokenByChangedSourcesAndByOtherLibraries) {
  Tool clean{.git_commit = "c"}, changed{.git_commit = "c", .git_dirty = true};
  clean.libraries["cudnn"] = {.built_with = {}, .running_with = "9.19.0"};
  changed.libraries["cudnn"] = {.built_with = {}, .running_with = "9.20.0"};
  const std::vector<std::string> both{"the program's commit was c, now c, changed",
                                      "cudnn was 9.19.0, now 9.20.0"};
  EXPECT_EQ(differences(sameness_of(clean, {}, {}), sameness_of(changed, {}, {})), both);
  EXPECT_TRUE(differences(sameness_of(changed, {}, {}), sameness_of(changed, {}, {})).empty())
      << "the same program, as far as anybody can tell";
  EXPECT_EQ(differences(sameness_of(clean, {}, {}), sameness_of(Tool{.git_commit = "c"}, {}, {})),
            std::vector<std::string>{"cudnn was 9.19.0, now not known"});
}

// Kernels of some machines and containers do not name the model.
TEST(Sameness, DoesNotCompareCpusThatAreUnknown) {
  const monitoring::Host unknown{}, known{.cpu = "Xeon"};
  monitoring::Host with_gpu = known, only_gpu{};
  with_gpu.gpus = only_gpu.gpus = {{.name = "H100", .driver = "580"}};
  const auto found = [](const std::vector<monitoring::Host>& a,
                        const std::vector<monitoring::Host>& b) {
    return differences(sameness_of(Tool{}, {}, a), sameness_of(Tool{}, {}, b));
  };
  EXPECT_TRUE(found({unknown}, {unknown}).empty());
  EXPECT_TRUE(found({{.cpu = "EPYC"}}, {unknown}).empty());
  EXPECT_TRUE(found({unknown, with_gpu}, {only_gpu, {.cpu = "EPYC"}}).empty());
  EXPECT_EQ(found({unknown}, {with_gpu}),
            std::vector<std::string>{"the machine was unknown CPU, no GPU, now unknown CPU, 1 x "
                                     "H100 (driver 580)"});
}

TEST(Sameness, NamesEachDifferenceWithBothValues) {
  monitoring::Host a{.cpu = "EPYC"}, b{.cpu = "Xeon"};
  b.gpus = {{.name = "H100", .driver = "580"}, {.name = "H100", .driver = "580"}};
  const auto found = differences(sameness_of(Tool{.version = "1"}, {{"batch_size", "32"}}, {a}),
                                 sameness_of(Tool{.version = "2"}, {{"batch_size", "64"}}, {b}));
  EXPECT_EQ(found, (std::vector<std::string>{
                       "the program's version was 1, now 2", "batch_size was 32, now 64",
                       "the machine was EPYC, no GPU, now Xeon, 2 x H100 (driver 580)"}));
}

}  // namespace
}  // namespace scalemark::reporting
