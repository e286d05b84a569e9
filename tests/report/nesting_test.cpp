// Files of 200,000 brackets: refused in words (65), where what calls itself once per level would
// overflow the stack.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "report/keep/earlier.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

const std::string kBrackets = std::string(200'000, '[') + std::string(200'000, ']');

std::string with(std::string json, const std::string& old, const std::string& now) {
  const std::size_t at = json.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return json.replace(at, old.size(), now);
}

std::vector<std::string> hostile_reports() {
  const std::string report = to_json(sample_report(2, true));
  return {kBrackets, "{\"schema\":" + kBrackets + "}",
          with(report, "\"rank\": 0", "\"rank\": " + kBrackets),
          with(report, "\"settings\": {", "\"settings\": {\"x\": " + kBrackets + ","),
          with(report, "\"schema\"", "\"unknown\": " + kBrackets + ", \"schema\"")};
}

TEST(DeepNesting, OfAReportIsBadData) {
  for (const std::string& text : hostile_reports()) {
    try {
      report_from_json(text, "deep.json");
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
      EXPECT_NE(error.record().what.find("deep.json"), std::string::npos);
      EXPECT_LT(error.record().what.size(), 200u) << "a line, not the file";
    }
  }
}

TEST(DeepNesting, OfAJournalIsBadData) {
  std::string name = ::testing::TempDir() + "/scalemark-deep-XXXXXX";
  const fs::path folder = mkdtemp(name.data());
  std::ofstream(folder / "report.json") << to_json(sample_report(1, false));
  for (const std::string& line :
       {"{\"event\":\"point\",\"point\":{\"id\":" + kBrackets + "}}", kBrackets}) {
    std::ofstream(folder / "journal.jsonl") << line << "\n{\"event\":\"closed\"}\n";
    try {
      read_earlier(folder);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace scalemark::reporting
