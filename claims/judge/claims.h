// Published numbers against reports: which runs test them; claimed, measured, verdict; and
// published throughputs beside those of reports, judged by nobody. Pure. The rule:
// docs/PUBLISHED.md, "How a claim is judged".
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "claims/judge/evidence.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "report/record/comparison.h"

namespace scalemark::claims {

struct PlannedCommand {
  std::string command;  // sweep | comm
  // Options as typed, without dashes: {"workload", "resnet50"}, {"world_sizes", "1,8"}.
  std::vector<std::pair<std::string, std::string>> options;
  std::string about;  // one sentence says what it tests

  // The words behind `scalemark`.
  std::vector<std::string> words() const;
  // The same as a configuration file.
  std::string config_text() const;
};

// Each configuration once; a table that is no cross product of GPUs and precisions becomes several
// sweeps. `precision`: only this one of a table's; empty: all. Empty where nothing can be tested.
std::vector<PlannedCommand> commands_for(const std::vector<published::NamedTable>& tables,
                                         const std::string& precision = "");

// A claim is judged for each row: of a throughput its rate, and from the second count of GPUs on
// its speed-up over the first. Rows that cannot be tested are there with their reason.
std::vector<reporting::ClaimRecord> judge(const std::vector<published::NamedTable>& tables,
                                          Reports reports);

// kFail: refuted or not reached on the same hardware; kUnsure: undecided, or nothing judged.
ExitCode exit_code_of(const std::vector<reporting::ClaimRecord>& claims);

// A table, what could not be tested with its reasons, and how many of which verdict.
std::string claims_text(const std::vector<reporting::ClaimRecord>& claims,
                        const Terminal& terminal);
std::string claims_markdown(const std::vector<reporting::ClaimRecord>& claims);
std::string claims_csv(const std::vector<reporting::ClaimRecord>& claims);
// One object per claim, with the fields of claims[] of a report.
std::string claims_json_lines(const std::vector<reporting::ClaimRecord>& claims);
// `started`: RFC 3339, UTC.
std::string claims_junit(const std::vector<reporting::ClaimRecord>& claims,
                         const std::string& started);

// For each of `rows` with the same chip, count of GPUs, network, precision and batch as a group of
// some report: "resnet50, amp_fp16, 8 GPUs: 19300 img/s published (dle-resnet50-a100, pub-0289),
// 18900 to 19100 here in 4 reports".
std::vector<std::string> published_beside(std::span<const published::Row> rows,
                                          const std::vector<const reporting::Report*>& reports);

}  // namespace scalemark::claims
