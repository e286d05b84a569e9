// Published numbers against reports: claimed, measured, verdict. Pure. The rule: docs/PUBLISHED.md,
// "How a claim is judged".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/exit_code.h"
#include "core/claims/evidence.h"
#include "core/published/names.h"
#include "core/reporting/record/claim_records.h"

namespace scalemark::claims {

// A claim is judged for each row: of a throughput its rate, and from the second count of GPUs on
// its speed-up over the first. Rows that cannot be tested are there with their reason.
std::vector<reporting::ClaimRecord> judge(const std::vector<published::NamedTable>& tables,
                                          Reports reports);

// kFail: refuted or not reached on the same hardware; kUnsure: undecided, or nothing judged.
ExitCode exit_code_of(const std::vector<reporting::ClaimRecord>& claims);

}  // namespace scalemark::claims
