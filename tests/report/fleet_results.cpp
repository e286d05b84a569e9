#include "tests/report/fleet_results.h"

#include <gtest/gtest.h>

#include <utility>

namespace scalemark::acceptance {

std::vector<CheckResult> results_of(const std::vector<NamedReport>& fleet, std::string_view check,
                                    std::string_view part) {
  std::vector<CheckResult> found;
  for (CheckResult& result : accept(fleet, standard_rules(), {}).results) {
    if (result.check == check && result.part.name() == part) found.push_back(std::move(result));
  }
  return found;
}

std::string outcome_of(const std::vector<NamedReport>& fleet, std::string_view check,
                       std::string_view part) {
  const auto found = results_of(fleet, check, part);
  EXPECT_LE(found.size(), 1u) << check << " of " << part;
  return found.empty() ? "" : std::string(name_of(found.front().outcome));
}

std::string why_of(const std::vector<NamedReport>& fleet, std::string_view check,
                   std::string_view part) {
  const auto found = results_of(fleet, check, part);
  return found.empty() ? "" : found.front().why;
}

std::vector<std::string> failed_parts(const std::vector<NamedReport>& fleet,
                                      std::string_view check) {
  std::vector<std::string> names;
  for (const CheckResult& result : accept(fleet, standard_rules(), {}).results) {
    if (result.check == check && result.outcome == Outcome::kFailed)
      names.push_back(result.part.name());
  }
  return names;
}

}  // namespace scalemark::acceptance
