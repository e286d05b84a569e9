#include "report/say/render/junit.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "report/record/point_facts.h"
#include "report/record/verdict.h"
#include "report/say/render/render.h"
#include "report/say/render/sections/claim_sections.h"
#include "report/say/render/text.h"

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

// Schemas require a date without zone; ours are UTC.
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

namespace {

using Case = JunitCase;
using Outcome = JunitOutcome;

// A group passes when all its runs do. Out of memory is a failure here, since readers of JUnit must
// see that something that was asked for did not run. `run` is of a point or a collective; `seconds`
// is how long it was measured, unset where its clocks contradict each other.
template <class Run>
void add_run(Case& of_group, const Run& run, std::optional<double> seconds) {
  if (run.status == PointStatus::kOk) {
    if (!seconds) of_group.seconds.reset();
    if (of_group.seconds) *of_group.seconds += *seconds;
    return;
  }
  const bool skipped = run.status == PointStatus::kSkipped;
  if (of_group.outcome == Outcome::kFailure) return;
  of_group.outcome = skipped ? Outcome::kSkipped : Outcome::kFailure;
  of_group.kind = name_of(run.status);
  of_group.message = run.id + ": " + (run.reason.empty() ? of_group.kind : run.reason);
}

Case& case_of(std::vector<Case>& cases, const std::string& name, const std::string& class_name) {
  const auto found = std::ranges::find(cases, name, &Case::name);
  if (found != cases.end()) return *found;
  return cases.emplace_back(Case{.class_name = class_name, .name = name});
}

// Errors of an earlier session that --resume has repaired do not make a case fail.
bool went_well(const Report& report) {
  return report.status == ReportStatus::kComplete && report.exit_code == 0;
}

// A sweep that was killed has no failed point, so a case of its own fails if it is not complete.
void add_end(std::vector<Case>& cases, const Report& report) {
  if (went_well(report)) return;
  for (const ErrorRecord& error : report.errors) {
    cases.push_back(
        {"scalemark.errors", error.code, 0, Outcome::kError, error.code, format_error_line(error)});
  }
  if (report.status == ReportStatus::kComplete) return;
  const std::string status(name_of(report.status));
  cases.push_back(
      {"scalemark.report", "complete", 0, Outcome::kError, status,
       "the report is " + status +
           (report.exit_code ? " (exit " + std::to_string(*report.exit_code) + ")" : "")});
}

// Returns "straggler rank 3 of n7".
std::string case_name(const Finding& finding) {
  std::string name = finding.code;
  if (!finding.point.empty()) name += " " + finding.point;
  if (!finding.place) return name;
  const FindingPlace& place = *finding.place;
  if (place.rank) name += " rank " + std::to_string(*place.rank);
  if (!place.host.empty()) name += (place.rank ? " of " : " ") + place.host;
  return name + (place.link.empty() ? "" : " " + place.link);
}

std::vector<Case> cases_of(const Report& report) {
  std::vector<Case> cases;
  for (const PointRecord& run : report.points) {
    const std::string& name = run.group.empty() ? run.id : run.group;
    const auto seconds = run.standing.is_withheld() ? std::nullopt : std::optional(run.wall_s);
    add_run(case_of(cases, name, "scalemark." + run.workload), run, seconds);
  }
  for (const CollectiveRecord& run : report.collectives) {
    Case& one = case_of(cases, run.group, "scalemark." + std::string(name_of(run.collective)));
    add_run(one, run, run.time_s * static_cast<double>(run.iterations));
  }
  for (const Finding& finding : report.findings) {
    if (finding.severity != "error" && !blames_part(finding)) continue;
    cases.push_back({"scalemark.findings", case_name(finding), 0, Outcome::kFailure, finding.code,
                     finding.text});
  }
  for (Case& one : claim_cases(report.claims)) cases.push_back(std::move(one));
  add_end(cases, report);
  return cases;
}

// Writes one line per group, for a person who opens the test report.
std::string measurements_of(const Report& report) {
  std::string text;
  for (const GroupRecord& group : report.groups) {
    if (!group.samples_per_sec) continue;
    text += group.group + ": " + readable(*group.samples_per_sec) + " samples/s\n";
  }
  for (const CollectiveGroup& group : report.collective_groups) {
    if (!group.time_s.value) continue;
    text += group.group + ": " + in_microseconds(*group.time_s.value) + " us\n";
  }
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      const std::string words = waterfall_in_words(row);
      if (!words.empty()) text += row.group + ": " + words + "\n";
    }
  }
  return text;
}

std::string past_errors_text(const Report& report) {
  std::string text;
  if (!went_well(report)) return text;
  for (const ErrorRecord& error : report.errors) {
    text += "of an earlier session: " + format_error_line(error) + "\n";
  }
  return text;
}

JunitSuite suite_of(const Report& report) {
  const auto& hosts = report.environment.hosts;
  return {
      .name = "scalemark " + report.invocation.command,
      .started = report.started,
      .host = hosts.empty() ? "" : hosts.front().hostname,
      .properties = {{"run_id", report.run_id}, {"status", std::string(name_of(report.status))}},
      .cases = cases_of(report),
      .output = measurements_of(report),
      .errors = past_errors_text(report)};
}

}  // namespace

std::string render_junit(std::span<const Report> reports) {
  std::vector<JunitSuite> suites;
  for (const Report& report : reports) suites.push_back(suite_of(report));
  return junit_xml(suites);
}

}  // namespace scalemark::reporting
