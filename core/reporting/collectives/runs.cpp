#include "core/reporting/collectives/runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/catalogue/backends.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/record/verdict.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

std::ptrdiff_t place_of(const std::string& backend) {
  const auto names = catalogue::backend_names();
  return std::ranges::find(names, backend) - names.begin();
}

auto reading_order(const CollectiveRecord& run) {
  return std::tuple(run.collective, run.dtype, run.world_size, run.placement, run.congestion,
                    run.overlap_compute, place_of(run.backend), run.backend, run.via, !run.in_place,
                    run.bytes, run.group);
}

bool is_measured(const CollectiveRecord& run) {
  return run.status == PointStatus::kOk && run.time_s > 0 && std::isfinite(run.time_s);
}

}  // namespace

std::map<int, const CollectiveRecord*> fit_runs(const CollectivePointRuns& point) {
  auto fit = point.ok;
  std::erase_if(fit, [](const auto& run) { return !run.second->disturbed.empty(); });
  if (!fit_decide(std::ssize(fit), std::ssize(point.ok))) fit.clear();
  return fit;
}

std::vector<CollectivePointRuns> collective_points(std::span<const CollectiveRecord> runs) {
  std::map<std::string, CollectivePointRuns> by_group;
  for (const CollectiveRecord& run : runs) {
    CollectivePointRuns& point = by_group[run.group];
    point.all.push_back(&run);
    if (is_measured(run)) point.ok.emplace(run.repetition, &run);
  }
  std::vector<CollectivePointRuns> points;
  for (auto& [group, point] : by_group) {
    point.traits = traits_of(point.first());
    points.push_back(std::move(point));
  }
  std::ranges::stable_sort(points, [](const auto& a, const auto& b) {
    return reading_order(a.first()) < reading_order(b.first());
  });
  return points;
}

std::vector<std::pair<Traits, Family>> families_of(const std::vector<CollectivePointRuns>& points,
                                                   const std::vector<std::string>& but) {
  std::vector<std::pair<Traits, Family>> families;
  for (const CollectivePointRuns& point : points) {
    Traits fixed = point.traits;
    for (const std::string& trait : but) fixed.erase(trait);
    auto known = std::ranges::find(families, fixed, &std::pair<Traits, Family>::first);
    if (known == families.end()) known = families.insert(families.end(), {std::move(fixed), {}});
    known->second.push_back(&point);
  }
  return families;
}

OverRuns over_runs(const CollectivePointRuns& point, const NumberOfRun& number) {
  std::vector<double> values;
  for (const auto& [repetition, run] : point.ok) {
    const auto value = number(*run);
    if (!value || !(*value > 0) || !std::isfinite(*value)) return {};
    values.push_back(*value);
  }
  if (values.empty()) return {};
  const auto estimate = statistics::estimate_over_runs(values);
  return {.value = estimate.value, .ci95 = bounds_of(estimate.ci95)};
}

}  // namespace scalemark::reporting
