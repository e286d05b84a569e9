// Shows the published claims of a report beside what was measured, in every form.
#pragma once

#include <string>
#include <vector>

#include "report/record/comparison.h"
#include "report/say/render/junit.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// Makes a row for each claim that can be tested. Reasons, tolerances and the counts follow.
Section claims_section(const std::vector<ClaimRecord>& claims);

// Writes "12 claims: 7 confirmed, 2 undecided, 3 not testable".
std::string claim_counts(const std::vector<ClaimRecord>& claims);

// Makes a case for each claim. Refuted and not reached are failures, undecided is an error, not
// judged is skipped.
std::vector<JunitCase> claim_cases(const std::vector<ClaimRecord>& claims);

}  // namespace scalemark::reporting
