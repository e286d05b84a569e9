#include "core/reporting/record/report_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/core/reporting/generated_report.h"
#include "tests/core/reporting/sample_report.h"

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
  const auto name = report.environment.hosts[0].hostname;
  EXPECT_EQ(report_from_json(to_json(report), "x").environment.hosts[0].hostname, name);
  report.environment.hosts[0].hostname =
      "a\xFF"
      "b";
  EXPECT_EQ(report_from_json(to_json(report), "x").environment.hosts[0].hostname,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ReportJson, IgnoresUnknownFields) {
  const auto text =
      with_text(to_json(sample_report(1, false)), "\"run_id\"", "\"future\": [1], \"run_id\"");
  EXPECT_EQ(report_from_json(text, "x").run_id, "run-1");
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
