#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "core/statistics/steadiness/steady.h"

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

void set_steady(GroupRecord& group, const Runs& runs) {
  std::vector<statistics::WindowVerdict> windows;
  for (const PointRecord* run : runs) {
    auto& window = windows.emplace_back(run->steady, run->bias_bound);
    if (run->biases.size() != statistics::kDecays) continue;
    std::ranges::copy(run->biases, window.biases.emplace().begin());
  }
  const auto check = statistics::pooled_steady(windows);
  group.steady = check.steady;
  group.steady_reason = check.reason;
  group.bias_bound = check.bias_bound;
}

// The runs themselves show their spread beside their mean.
void set_spread(GroupRecord& group, const Runs& runs) {
  if (runs.size() == 1) {
    group.at_least = within_run_share(*runs.front());
    return;
  }
  const auto [slowest, fastest] = std::ranges::minmax_element(
      runs, {}, [](const PointRecord* run) { return run->samples_per_sec; });
  group.slowest = (*slowest)->samples_per_sec;
  group.fastest = (*fastest)->samples_per_sec;
}

// --- What --communication-cost measured in each repetition.

using Estimate = std::optional<statistics::MeanEstimate>;

// Absent where a run lacks the value.
Estimate estimate_of(const Runs& good, std::optional<double> CommunicationTimes::*value,
                     double (*scale)(double)) {
  std::vector<std::vector<double>> sessions;
  for (const Runs& session : by_session(good)) {
    auto& values = sessions.emplace_back();
    for (const PointRecord* run : session) {
      const auto& measured = run->communication.*value;
      if (!measured) return std::nullopt;
      values.push_back(scale(*measured));
    }
  }
  return statistics::mean_over_sessions(sessions);
}

void set(const Estimate& estimate, std::optional<double>& value, Bounds& bounds,
         double (*scale)(double)) {
  if (!estimate) return;
  value = scale(estimate->value);
  const Bounds ci95 = bounds_of(estimate->ci95);
  if (ci95) bounds = {scale(*ci95.low), scale(*ci95.high)};
}

double as_it_is(double value) { return value; }
double logarithm(double value) { return std::log(value); }
double exponential(double value) { return std::exp(value); }

// Absent unless every run has it.
std::optional<GroupCommunication> communication_of(const Runs& good) {
  using Times = CommunicationTimes;
  GroupCommunication record;
  set(estimate_of(good, &Times::cost_s, as_it_is), record.cost_s, record.cost_ci95, as_it_is);
  if (!record.cost_s) return std::nullopt;
  set(estimate_of(good, &Times::contention_s, as_it_is), record.contention_s,
      record.contention_ci95, as_it_is);
  set(estimate_of(good, &Times::efficiency, logarithm), record.efficiency, record.efficiency_ci95,
      exponential);
  return record;
}

GroupRecord group_of(const GroupRuns<PointRecord>& of, const CourseOfRuns& course,
                     const SummaryOptions& options) {
  GroupRecord group{.group = of.first().group, .stop_reason = options.stop_reason};
  if (const auto own = options.stop_reasons.find(group.group); own != options.stop_reasons.end()) {
    group.stop_reason = own->second;
  }
  for (const PointRecord* run : of.all) {
    ++group.status_counts[std::string(name_of(run->status))];
  }
  const Runs& good = of.ok;
  group.n = static_cast<int>(good.size());
  if (good.empty()) return group;

  const auto sessions = rates_by_session(good).size();
  if (sessions > 1) group.sessions = static_cast<int>(sessions);
  const auto estimate = estimate_of(good, course);
  group.samples_per_sec = estimate.value;
  group.step_time_s = step_time_of(good, estimate.value);
  set_spread(group, good);
  group.unseen_share = statistics::share_that_may_be_missed(good.size());
  group.ci95 = bounds_of(estimate.ci95);
  if (estimate.cv_between && std::isfinite(*estimate.cv_between)) {
    group.cv_between = estimate.cv_between;
  }
  set_steady(group, good);
  group.variance = variance_of(good);
  group.communication = communication_of(good);
  group.samples_per_joule = samples_per_joule(good);
  if (options.price_per_hour && *options.price_per_hour > 0) {
    const double share = static_cast<double>(good.front()->world_size) / options.launched_ranks;
    group.samples_per_dollar = estimate.value * kSecondsPerHour / (*options.price_per_hour * share);
  }
  return group;
}

}  // namespace

std::vector<GroupRecord> groups_of(const SweepRuns& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options) {
  std::vector<GroupRecord> groups;
  for (const auto& group : runs) groups.push_back(group_of(group, course, options));
  return groups;
}

}  // namespace scalemark::reporting
