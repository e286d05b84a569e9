#include "core/reporting/collectives/runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reporting/collectives/words.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
std::vector<std::pair<Traits, Family>> families_of(const CollectiveRuns& points,
                                                   const std::vector<std::string>& but) {
  std::vector<std::pair<Traits, Family>> families;
  for (const CollectivePoint& point : points) {
    Traits fixed = traits_of(point.first());
    for (const std::string& trait : but) fixed.erase(trait);
    auto known = std::ranges::find(families, fixed, &std::pair<Traits, Family>::first);
    if (known == families.end()) known = families.insert(families.end(), {std::move(fixed), {}});
    known->second.push_back(&point);
  }
  return families;
}

OverRuns over_runs(const CollectivePoint& point, const NumberOfRun& number) {
  std::vector<double> values;
  for (const CollectiveRecord* run : point.ok) {
    const auto value = number(*run);
    if (!value || !(*value > 0) || !std::isfinite(*value)) return {};
    values.push_back(*value);
  }
  if (values.empty()) return {};
  const auto estimate = statistics::estimate_over_runs(values);
  return {.value = estimate.value, .ci95 = bounds_of(estimate.ci95)};
}

}  // namespace scalemark::reporting
