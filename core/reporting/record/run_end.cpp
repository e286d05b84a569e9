#include "core/reporting/record/run_end.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {
namespace {

bool is_severity(std::string_view word) { return word == "warning" || word == "error"; }

}  // namespace

FailOn::FailOn(std::string_view text) {
  for (const std::string_view given : split(text, ",")) {
    const std::string& word = words_.emplace_back(given);
    if (word == "parts" || word == "none" || is_severity(word) || find_finding_kind(word)) continue;
    throw configuration("--fail-on: '" + word + "' is no code of a finding",
                        "parts, warning, error, none, or codes with commas between",
                        "docs/REPORT.md lists the codes under \"Codes of findings\"");
  }
}

bool FailOn::names(const Finding& finding) const {
  return std::ranges::any_of(words_, [&](const std::string& word) {
    if (word == "warning") return finding.severity == "warning" || finding.severity == "error";
    if (word == "error") return finding.severity == "error";
    return word == "parts" ? blames_part(finding) : word == finding.code;
  });
}

RunEnd end_of_runs(const RunCounts& runs) {
  const std::string oom = counted(runs.oom, "run") + " out of memory";
  const std::string failed = counted(runs.failed, "run") + " failed";
  if (runs.oom > 0 && runs.ok + runs.failed == 0) {
    return {ExitCode::kOutOfMemory, "nothing fitted into memory: " + oom};
  }
  if (runs.lost() == 0) return {};
  return {ExitCode::kUnsure, "incomplete: " + (runs.failed == 0 ? oom
                                               : runs.oom == 0  ? failed
                                                                : failed + " and " + oom)};
}

RunEnd judged_end(RunEnd end, const Report& report, const FailOn& fail_on) {
  if (end.exit_code != ExitCode::kPass && end.exit_code != ExitCode::kUnsure) return end;
  const auto found = std::ranges::find_if(
      report.findings, [&](const Finding& finding) { return fail_on.names(finding); });
  if (found == report.findings.end()) return end;
  return {ExitCode::kFail, "fails because of " + found->code + ": " + found->text};
}

}  // namespace scalemark::reporting
