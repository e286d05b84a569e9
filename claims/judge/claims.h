// Sets published numbers against reports: the commands that test them, a verdict on each claim, and
// published throughputs beside those of reports, which nobody judges. Pure. The rule stands in
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

// A command that tests published numbers.
struct PlannedCommand {
  std::string command;  // sweep | comm
  // Options stand as typed, without dashes: {"workload", "resnet50"}, {"world_sizes", "1,8"}.
  std::vector<std::pair<std::string, std::string>> options;
  std::string about;  // one sentence says what it tests

  // Returns the words that follow `scalemark`.
  std::vector<std::string> words() const;
  // Returns the same as the text of a configuration file.
  std::string config_text() const;
};

// Returns the commands that test the tables, each configuration once; empty: nothing can be tested.
// A table that is no cross product of GPUs and precisions becomes several sweeps. `precision`: only
// this one of a table's; empty: all.
std::vector<PlannedCommand> commands_for(const std::vector<published::NamedTable>& tables,
                                         const std::string& precision = "");

// Judges each row. A throughput gives a claim on its rate, and from the second count of GPUs on
// another on its speed-up over the first. Rows that cannot be tested are included with their
// reason.
std::vector<reporting::ClaimRecord> judge(const std::vector<published::NamedTable>& tables,
                                          Reports reports);

// kFail: refuted or not reached on the same hardware; kUnsure: undecided, or nothing judged.
ExitCode exit_code_of(const std::vector<reporting::ClaimRecord>& claims);

// Writes a table, then the rows that could not be tested with their reasons, and a count of each
// verdict.
std::string claims_text(const std::vector<reporting::ClaimRecord>& claims,
                        const Terminal& terminal);
std::string claims_markdown(const std::vector<reporting::ClaimRecord>& claims);
std::string claims_csv(const std::vector<reporting::ClaimRecord>& claims);
// Writes one object per claim, with the fields of claims[] of a report.
std::string claims_json_lines(const std::vector<reporting::ClaimRecord>& claims);
// `started`: RFC 3339, UTC.
std::string claims_junit(const std::vector<reporting::ClaimRecord>& claims,
                         const std::string& started);

// Returns a line for each of `rows` with the same chip, count of GPUs, network, precision and batch
// as a group of some report: "resnet50, amp_fp16, 8 GPUs: 19300 img/s published (dle-resnet50-a100,
// pub-0289), 18900 to 19100 here in 4 reports".
std::vector<std::string> published_beside(std::span<const published::Row> rows,
                                          const std::vector<const reporting::Report*>& reports);

}  // namespace scalemark::claims
