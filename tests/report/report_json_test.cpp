#include "report/record/report_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/report/generated_report.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

void expect_bad_data(const std::string& text, const std::string& says) {
  try {
    report_from_json(text, "x.json");
    FAIL() << "accepted; expected to hear " << says;
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    EXPECT_NE(error.record().what.find(says), std::string::npos) << error.record().what;
    EXPECT_NE(error.record().what.find("x.json"), std::string::npos) << error.record().what;
  }
}

std::string with_text(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReportJson, ReadsBackWhatItWrote) {
  for (const bool everything : {false, true}) {
    const auto text = to_json(sample_report(2, everything));
    EXPECT_EQ(to_json(report_from_json(text, "x")), text);
  }
}

// It is written piece by piece, and reads as if it had been written in one.
TEST(ReportJson, IsLaidOutAsOneTreeWouldBe) {
  std::vector<Report> reports{{}, sample_report(1, false), sample_report(2, true)};
  for (std::uint64_t seed = 0; seed < 30; ++seed) reports.push_back(generated_report(seed));
  for (const Report& report : reports) {
    const std::string text = to_json(report);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(2) + "\n", text);
  }
}

// Commands and scripts are made of the names of machines: whatever record they stand in, one that
// is more than a name is damage.
TEST(ReportJson, RefusesWhatIsNoNameOfAMachine) {
  const auto whole = nlohmann::json::parse(to_json(sample_report(2, true)));
  const auto flat = whole.flatten();
  std::size_t places = 0;
  for (const auto& [pointer, value] : flat.items()) {
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    if (key != "host" && key != "hostname" && key != "scheduler_node") continue;
    ++places;
    for (const char* name : {"n1\nreboot", "$(x)", "`x`", "-rf", "a b", "a;b", "n\x1b[2J", "a'"}) {
      auto damaged = whole;
      damaged[nlohmann::json::json_pointer(pointer)] = name;
      expect_bad_data(damaged.dump(), "is no name of a machine");
    }
    auto other = whole;
    other[nlohmann::json::json_pointer(pointer)] = "gpu-7.cluster_a.example.org";
    EXPECT_NO_THROW(report_from_json(other.dump(), "x.json")) << pointer;
  }
  EXPECT_GE(places, 6u);
  LinkRecord link{.a = "n1", .b = "rank 3", .passes = 1};
  const auto read_link = [&] {
    const std::vector<LinkRecord> links{link};
    return from_json_line<std::vector<LinkRecord>>(to_json_line(links, "link"), "link", "journal");
  };
  EXPECT_NO_THROW(read_link());
  for (const char* end : {"`x`", "rank x", "rank 3\n"}) {
    link.b = end;
    EXPECT_THROW(read_link(), Error) << end;
  }
}

TEST(ReportJson, NumbersSurviveBitByBit) {
  auto report = sample_report(1, false);
  report.points[0].samples_per_sec = 0.1 + 0.2;
  report.points[0].step_samples_s = {1.0 / 3, 5e-324, 1e300};
  const auto back = report_from_json(to_json(report), "x");
  EXPECT_EQ(back.points[0].samples_per_sec, 0.1 + 0.2);
  EXPECT_EQ(back.points[0].step_samples_s, report.points[0].step_samples_s);
}

TEST(ReportJson, AbsentIsAbsentNeverNull) {
  const auto text = to_json(sample_report(2, false));
  EXPECT_EQ(text.find("null"), std::string::npos);
  for (const char* key :
       {"mfu", "p95", "evaluation", "resumed", "tokens_per_sec", "\"steady\"", "sequence_length"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
}

TEST(ReportJson, RefusesToWriteANumberThatIsNotFinite) {
  auto report = sample_report(1, false);
  report.points[0].step_s.mean = NAN;
  EXPECT_THROW(to_json(report), Error);
}

TEST(ReportJson, HostileTextIsKeptOrRepaired) {
  auto report = sample_report(1, false);
  const auto text = report.environment.hosts[0].os;
  EXPECT_EQ(report_from_json(to_json(report), "x").environment.hosts[0].os, text);
  report.environment.hosts[0].os =
      "a\xFF"
      "b";
  EXPECT_EQ(report_from_json(to_json(report), "x").environment.hosts[0].os,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ReportJson, IgnoresUnknownFields) {
  const auto text =
      with_text(to_json(sample_report(1, false)), "\"run_id\"", "\"future\": [1], \"run_id\"");
  EXPECT_EQ(report_from_json(text, "x").run_id, "run-1");
}

// Reports whose text is repaired, as a reader has them.
std::vector<Report> read_back_reports() {
  std::vector<Report> reports{{}, sample_report(1, false), sample_report(2, true)};
  for (std::uint64_t seed = 0; seed < 6; ++seed) reports.push_back(generated_report(seed));
  for (Report& report : reports) report = report_from_json(to_json(report), "x");
  return reports;
}

TEST(ReportLines, HoldWholeReports) {
  std::string all;
  const std::vector<Report> reports = read_back_reports();
  for (const Report& report : reports) {
    const std::string lines = to_json_lines(report);
    const auto back = reports_from(lines, "x");
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(to_json(back.front()), to_json(report));
    EXPECT_EQ(reports_from(to_json(report), "x").size(), 1u);
    all += lines;
  }
  const auto back = reports_from("\xEF\xBB\xBF" + all + "\r\n\n", "x");
  ASSERT_EQ(back.size(), reports.size());
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(to_json(back[i]), to_json(reports[i]));
}

TEST(ReportLines, MayBeOfOtherVersions) {
  const Report report = sample_report(1, false);
  const std::string text = to_json_lines(report);
  const auto end_of_first = text.find('\n');
  auto head = nlohmann::ordered_json::parse(text.substr(0, end_of_first));
  EXPECT_EQ(head.at("lines"), std::ranges::count(text, '\n') - 1);
  head.erase("lines");
  const std::string uncounted = head.dump() + text.substr(end_of_first);
  EXPECT_EQ(to_json(reports_from(uncounted, "x").front()), to_json(report));
  const std::string later = uncounted + R"({"record":"future","run_id":"run-1","it":[1]})";
  EXPECT_EQ(to_json(reports_from(later, "x").front()), to_json(report));
}

void expect_refused(const std::string& text, const std::string& says) {
  SCOPED_TRACE(says);
  try {
    reports_from(text, "x.jsonl");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    EXPECT_EQ(error.record().what.substr(0, says.size()), says);
    EXPECT_LT(error.record().what.size(), 400u) << "a line, not the file";
  }
}

TEST(ReportLines, AreRefusedWithTheirNumbers) {
  const std::string good = to_json_lines(sample_report(1, true));
  const auto count = static_cast<std::size_t>(std::ranges::count(good, '\n'));
  const auto line = [](std::size_t number) { return "x.jsonl, line " + std::to_string(number); };
  const auto lines = [](std::size_t last) { return "x.jsonl, lines 1 to " + std::to_string(last); };
  const std::string last = good.substr(good.rfind('\n', good.size() - 2) + 1);
  const std::string shorter = good.substr(0, good.size() - last.size());

  expect_refused("", "x.jsonl is not JSON");
  expect_refused(good.substr(0, 100), "x.jsonl is not JSON");
  expect_refused(good.substr(0, good.size() - 10), line(count) + " is not JSON");
  expect_refused(shorter, lines(count - 1) + ": the first counts " + std::to_string(count - 1) +
                              " more, and " + std::to_string(count - 2) + " are there");
  expect_refused(good + last, lines(count + 1) + ": the first counts");
  expect_refused(good + with_text(last, "run-1", "run-2"),
                 line(count + 1) + ": it is of run 'run-2'");
  expect_refused(good.substr(good.find('\n') + 1), line(1) + ": its record is 'point'");
  expect_refused("{\"event\":\"started\"}\n" + good, line(1) + ": it has no field 'record'");
  expect_refused(good + "{\"event\":\"started\"}\n",
                 line(count + 1) + ": it has no field 'record'");
  expect_refused(good + "[]\n", line(count + 1) + ": it is array");
  for (const auto& [value, type] : std::map<std::string, std::string>{
           {"5", "number"}, {"null", "null"}, {"[]", "array"}, {R"({"a":1})", "object"}}) {
    expect_refused(good + R"({"record":)" + value + R"(,"run_id":"run-1"})",
                   line(count + 1) + ": its field 'record' is " + type);
    expect_refused(good + R"({"record":"point","run_id":)" + value + "}",
                   line(count + 1) + ": its field 'run_id' is " + type);
    if (value == "5") continue;
    expect_refused(with_text(good, "\"lines\":" + std::to_string(count - 1), "\"lines\":" + value),
                   lines(count) + ": the field 'lines' of the first is " + type);
  }
  for (const std::string number : {"-1", "2.5"}) {
    expect_refused(with_text(good, "\"lines\":" + std::to_string(count - 1), "\"lines\":" + number),
                   lines(count) + ": the field 'lines' of the first is " + number);
  }
  expect_refused(good + std::string(200'000, '['), line(count + 1) + " nests deeper");
  expect_refused(with_text(good, "scalemark.report/1", "scalemark.report/2"),
                 lines(count) + ": its schema is 'scalemark.report/2'");
  expect_refused(with_text(good, "\"iterations\":4", "\"iterations\":\"4\""),
                 lines(count) + ": report.points[].iterations is string");
}

TEST(ReportJson, RefusesWhatIsNoReport) {
  const auto good = to_json(sample_report(1, false));
  expect_bad_data("{", "is not JSON");
  expect_bad_data("[]", "no schema");
  expect_bad_data("{\"schema\": 1}", "no schema");
  expect_bad_data(with_text(good, "scalemark.report/1", "scalemark.report/2"),
                  "scalemark.report/2");
  expect_bad_data(with_text(good, "\"run_id\"", "\"run_it\""), "report.run_id is missing");
  expect_bad_data(with_text(good, "\"status\": \"complete\"", "\"status\": \"fine\""), "'fine'");
  expect_bad_data(with_text(good, "\"threads\": 1", "\"threads\": 1.5"), "threads");
  expect_bad_data(with_text(good, "\"threads\": 1", "\"threads\": 4294967297"), "threads");
  expect_bad_data(with_text(good, "\"iterations\": 4", "\"iterations\": \"4\""), "iterations");
  expect_bad_data(with_text(good, "\"samples\": 32", "\"samples\": null"), "samples");
}

}  // namespace
}  // namespace scalemark::reporting
