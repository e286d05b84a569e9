#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/run_correlation.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

constexpr double kSecondsPerHour = 3600;

std::optional<double> samples_per_joule(const Runs& runs) {
  double samples = 0, joules = 0;
  for (const PointRecord* run : runs) {
    if (!run->energy_J || !(*run->energy_J > 0)) continue;
    samples += static_cast<double>(run->samples);
    joules += *run->energy_J;
  }
  if (!(joules > 0)) return std::nullopt;
  return samples / joules;
}

std::vector<std::vector<double>> rates_by_session(const Runs& runs) {
  std::map<int, std::vector<double>> by_session;
  for (const PointRecord* run : runs) by_session[run->session].push_back(run->samples_per_sec);
  std::vector<std::vector<double>> rates;
  for (auto& [session, values] : by_session) rates.push_back(std::move(values));
  return rates;
}

// Where neighbouring runs are correlated, the interval over runs is widened. Over sessions it needs
// nothing: they are far apart.
statistics::RunsEstimate estimate_of(const Runs& runs, const CourseOfRuns& course) {
  const auto rates = rates_by_session(runs);
  const auto estimate = statistics::estimate_over_sessions(rates);
  if (rates.size() > 1 || !course.drift || !course.drift->lag1) return estimate;
  std::vector<double> places;
  for (const PointRecord* run : runs) {
    if (const auto place = course.places.find(run); place != course.places.end()) {
      places.push_back(place->second);
    }
  }
  if (places.size() < runs.size()) return estimate;  // some have no time
  return widened(estimate, statistics::interval_growth(places, *course.drift->lag1));
}

int launched_ranks(const RunsByGroup& runs, const SummaryOptions& options) {
  int largest = options.launched_ranks;
  if (largest > 0) return largest;
  for (const std::string& group : runs.groups()) {
    for (const PointRecord* run : runs.all(group)) largest = std::max(largest, run->world_size);
  }
  return largest;
}

GroupRecord group_of(const std::string& name, const RunsByGroup& runs, const CourseOfRuns& course,
                     const SummaryOptions& options) {
  GroupRecord group{.group = name, .stop_reason = options.stop_reason};
  if (const auto own = options.stop_reasons.find(name); own != options.stop_reasons.end()) {
    group.stop_reason = own->second;
  }
  for (const PointRecord* run : runs.all(name)) {
    ++group.status_counts[std::string(name_of(run->status))];
  }
  const Runs good = runs.ok(name);
  group.n = static_cast<int>(good.size());
  if (good.empty()) return group;

  const auto sessions = rates_by_session(good).size();
  if (sessions > 1) group.sessions = static_cast<int>(sessions);
  const auto estimate = estimate_of(good, course);
  group.samples_per_sec = estimate.value;
  if (is_finite(estimate.ci95)) {
    group.ci95_low = estimate.ci95->low;
    group.ci95_high = estimate.ci95->high;
  }
  if (estimate.cv_between && std::isfinite(*estimate.cv_between)) {
    group.cv_between = estimate.cv_between;
  }
  group.samples_per_joule = samples_per_joule(good);
  if (options.price_per_hour && *options.price_per_hour > 0) {
    const double share =
        static_cast<double>(good.front()->world_size) / launched_ranks(runs, options);
    group.samples_per_dollar = estimate.value * kSecondsPerHour / (*options.price_per_hour * share);
  }
  return group;
}

}  // namespace

std::vector<GroupRecord> groups_of(const RunsByGroup& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options) {
  std::vector<GroupRecord> groups;
  for (const std::string& name : runs.groups()) {
    groups.push_back(group_of(name, runs, course, options));
  }
  return groups;
}

}  // namespace scalemark::reporting
