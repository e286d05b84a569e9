// Writes JUnit's XML as CI systems read it, and a report in that form.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace scalemark::reporting {

enum class JunitOutcome { kPassed, kFailure, kError, kSkipped };

struct JunitCase {
  std::string class_name, name;
  std::optional<double> seconds = 0;  // unset: unknown, and the case has no time
  JunitOutcome outcome = JunitOutcome::kPassed;
  std::string kind, message;  // set for a case that did not pass
};

struct JunitSuite {
  std::string name, started, host;  // started: RFC 3339, UTC; host: empty means localhost
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JunitCase> cases;
  std::string output, errors;
};

std::string junit_xml(const std::vector<JunitSuite>& suites);

}  // namespace scalemark::reporting
