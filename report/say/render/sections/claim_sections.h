// Published claims of a report beside what was measured, for every form that shows them.
#pragma once

#include <string>
#include <vector>

#include "report/record/comparison.h"
#include "report/say/render/junit.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// A row for each claim that can be tested; under them reasons, tolerances and the counts.
Section claims_section(const std::vector<ClaimRecord>& claims);

// "12 claims: 7 confirmed, 2 undecided, 3 not testable"
std::string claim_counts(const std::vector<ClaimRecord>& claims);

// A case for each claim: refuted or not reached is a failure, undecided an error, not judged
// skipped.
std::vector<JunitCase> claim_cases(const std::vector<ClaimRecord>& claims);

}  // namespace scalemark::reporting
