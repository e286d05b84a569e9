// --communication-cost measures each repetition of a point: this sums them up.
#include <cmath>
#include <vector>

#include "core/reporting/sweep/runs.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

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

}  // namespace

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

}  // namespace scalemark::reporting
