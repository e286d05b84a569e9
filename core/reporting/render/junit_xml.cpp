#include "core/reporting/render/junit_xml.h"

#include <algorithm>
#include <string_view>

#include "core/base/number_words.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

std::string junit_seconds(double seconds) { return printed("%.6f", seconds); }

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

std::string case_text(const JunitCase& one) {
  std::string text = "    <testcase" + attribute("name", one.name) +
                     attribute("classname", one.class_name) +
                     (one.seconds ? attribute("time", junit_seconds(*one.seconds)) : "");
  if (one.outcome == JunitOutcome::kPassed) return text + "/>\n";
  if (one.outcome == JunitOutcome::kSkipped) {
    return text + ">\n      <skipped" + attribute("message", one.message) + "/>\n    </testcase>\n";
  }
  const std::string tag = one.outcome == JunitOutcome::kError ? "error" : "failure";
  return text + ">\n      <" + tag + attribute("message", one.message) +
         attribute("type", one.kind) + ">" + xml_escaped(one.message) + "</" + tag +
         ">\n    </testcase>\n";
}

// Schemas want a date without zone; ours are UTC.
std::string timestamp(const std::string& rfc3339) {
  constexpr std::size_t kLength = std::string_view("2026-01-02T03:04:05").size();
  return rfc3339.substr(0, kLength);
}

std::string suite_text(const JunitSuite& suite, std::size_t number) {
  const auto count = [&](JunitOutcome outcome) {
    return std::to_string(std::ranges::count(suite.cases, outcome, &JunitCase::outcome));
  };
  double seconds = 0;
  std::string properties, body;
  for (const auto& [name, value] : suite.properties) {
    properties += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  for (const JunitCase& one : suite.cases) {
    seconds += one.seconds.value_or(0);
    body += case_text(one);
  }
  return "  <testsuite" + attribute("name", suite.name) + attribute("package", "scalemark") +
         attribute("id", std::to_string(number)) +
         attribute("timestamp", timestamp(suite.started)) +
         attribute("hostname", suite.host.empty() ? "localhost" : suite.host) +
         attribute("tests", std::to_string(suite.cases.size())) +
         attribute("failures", count(JunitOutcome::kFailure)) +
         attribute("errors", count(JunitOutcome::kError)) +
         attribute("skipped", count(JunitOutcome::kSkipped)) +
         attribute("time", junit_seconds(seconds)) + ">\n    <properties>\n" + properties +
         "    </properties>\n" + body + "    <system-out>" + xml_escaped(suite.output) +
         "</system-out>\n    <system-err>" + xml_escaped(suite.errors) +
         "</system-err>\n  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const std::vector<JunitSuite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t i = 0; i < suites.size(); ++i) text += suite_text(suites[i], i);
  return text + "</testsuites>\n";
}

}  // namespace scalemark::reporting
