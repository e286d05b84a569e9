// The sentences that sum a report up are the same in every form that has them. Pure; every number
// is the report's own.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// The fastest point, what each slice reached and lost, what failed, and how far the numbers may be
// trusted; of collectives the winning backends.
std::vector<std::string> summary_in_words(const Report& report);

// From which batch size on communication stays small at the ranks of a row, what compared
// strategies and compressions send, and what the ranks cost; each where it is known.
std::vector<std::string> found_at(const Report& report, const ScalingRow& row);

}  // namespace scalemark::reporting
