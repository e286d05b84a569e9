// Claims as text: claimed, measured, verdict. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/reporting/record/claim_records.h"

namespace scalemark::claims {

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

}  // namespace scalemark::claims
