#include "core/reporting/acceptance/series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/reporting/record/report.h"
#include "core/statistics/summary.h"

namespace scalemark::acceptance {

std::string Part::name() const {
  if (kind == PartKind::kLink)
    return reporting::link_end(host, rank, device) + " to " + (end.empty() ? other : end);
  return kind == PartKind::kNode ? host : host + " " + device;
}

std::string Part::key() const {
  if (kind == PartKind::kDevice && !uuid.empty()) return uuid;
  return name();
}

std::vector<std::vector<const Series*>> by_class(const std::vector<Series>& all) {
  std::vector<std::vector<const Series*>> classes;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Series& series : all) {
    const auto [found, is_new] =
        places.try_emplace({series.of_class, series.software}, classes.size());
    if (is_new) classes.emplace_back();
    classes[found->second].push_back(&series);
  }
  return classes;
}

int throttled_runs(const Series& series) {
  int runs = 0;
  for (const Start& start : series.starts) runs += start.throttled_runs;
  return runs;
}

const Start* failed_start(const Series& series) {
  const auto found = std::ranges::find_if(series.starts, [](const Start& s) { return s.failed; });
  return found == series.starts.end() ? nullptr : &*found;
}

std::vector<double> logarithms_of(const Series& series) {
  std::vector<double> logs;
  for (const Start& start : series.starts) {
    if (std::isfinite(start.value)) logs.push_back(std::log(start.value));
  }
  return logs;
}

std::optional<double> beyond_physics(const Series& series) {
  const std::vector<double> logs = logarithms_of(series);
  if (!series.datasheet || logs.empty()) return std::nullopt;
  const double times = std::exp(statistics::mean(logs)) / series.datasheet->per_sec;
  return times > kBeyondPhysics ? std::optional(times) : std::nullopt;
}

bool has_speed(const Series& series) {
  return throttled_runs(series) < kThrottledRuns && failed_start(series) == nullptr &&
         !beyond_physics(series);
}

}  // namespace scalemark::acceptance
