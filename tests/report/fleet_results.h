// Looks up what `accept` finds of one part, or of all parts, by the standard rules: for the tests
// of acceptance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/accept/acceptance.h"

namespace scalemark::acceptance {

std::vector<CheckResult> results_of(const std::vector<NamedReport>& fleet, std::string_view check,
                                    std::string_view part);

// Returns "failed", of the only result of the part; "" where it has none.
std::string outcome_of(const std::vector<NamedReport>& fleet, std::string_view check,
                       std::string_view part);

std::string why_of(const std::vector<NamedReport>& fleet, std::string_view check,
                   std::string_view part);

std::vector<std::string> failed_parts(const std::vector<NamedReport>& fleet,
                                      std::string_view check);

}  // namespace scalemark::acceptance
