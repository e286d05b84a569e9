#include <cmath>
#include <set>

#include "core/reporting/compare/parts.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/runs.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

using statistics::ComparedUnit;

struct Run {
  std::string group, unit;
  SessionKey session;
  PointStatus status;
  double rate = 0;  // per second; meaningful when it is ok
  Disturbance disturbance = nullptr;
  bool withheld = false;  // its clocks disagree
};

void add_run(Side& side, const Run& run) {
  const auto [found, is_new] = side.groups.try_emplace(run.group);
  if (is_new) side.order.push_back(run.group);
  Measured& measured = found->second;
  measured.unit = run.unit;
  if (run.status != PointStatus::kOk) {
    ++measured.trouble[std::string(name_of(run.status))];
  } else if (run.withheld) {
    ++measured.withheld;
    ++measured.trouble["with clocks that disagree"];
  } else if (!(run.rate > 0) || !std::isfinite(run.rate)) {
    ++measured.trouble["without a rate"];  // a rate of 0 has no logarithm
  } else {
    measured.rates[run.session].push_back(run.rate);
    if (!run.disturbance) measured.fit_rates[run.session].push_back(run.rate);
    measured.basis.add(run.disturbance);
  }
}

// A comparison is judged from fit runs; too few of them decide nothing.
void keep_fit(Measured& measured) {
  const Basis& basis = measured.basis;
  const auto all = basis.runs + measured.withheld;
  if (basis.fit() == all) return;
  const auto tell = [&](const char* what, std::ptrdiff_t runs) {
    if (runs > 0) measured.trouble[what] = static_cast<std::size_t>(runs);
  };
  tell("too brief to tell", basis.brief);
  tell("disturbed", basis.disturbed);
  measured.disturbed = !fit_decide(basis.fit(), all);
  if (!measured.disturbed) measured.rates = measured.fit_rates;
}

// The plan's order, by size: runs come in an order drawn by chance.
void add_in_order(Side& side, const std::vector<CollectiveGroup>& groups) {
  for (const CollectiveGroup& group : groups) {
    if (side.groups.try_emplace(group.group).second) side.order.push_back(group.group);
  }
}

}  // namespace

Side read_side(const ComparedSide& reports) {
  Side side;
  for (std::size_t file = 0; file < reports.size(); ++file) {
    const Report& report = reports[file].report;
    const FitOfRuns fit(report);
    for (const PointRecord& point : report.points) {
      add_run(side, {point.group,
                     sample_unit(point.workload),
                     {file, point.session},
                     point.status,
                     point.samples_per_sec,
                     fit.disturbance_of(point.id),
                     point.standing.is_withheld()});
    }
    add_in_order(side, report.collective_groups);
    for (const CollectiveRecord& run : report.collectives) {
      add_run(
          side,
          {run.group, "calls", {file, 0}, run.status, 1 / run.time_s, fit.disturbance_of(run.id)});
    }
  }
  for (auto& [group, measured] : side.groups) keep_fit(measured);
  return side;
}

const Measured* find(const Side& side, const std::string& group) {
  const auto found = side.groups.find(group);
  return found == side.groups.end() ? nullptr : &found->second;
}

std::size_t count_sessions(const Side& side) {
  std::set<SessionKey> sessions;
  for (const auto& [group, measured] : side.groups) {
    for (const auto& [session, rates] : measured.rates) sessions.insert(session);
  }
  return sessions.size();
}

std::vector<double> units_of(const Measured* measured, ComparedUnit unit) {
  std::vector<double> units;
  if (!measured) return units;
  for (const auto& [session, rates] : measured->rates) {
    if (unit == ComparedUnit::kSession) {
      units.push_back(statistics::geometric_mean(rates));
    } else {
      units.insert(units.end(), rates.begin(), rates.end());
    }
  }
  return units;
}

SideOfPoint side_of_point(const Measured* measured, const std::vector<double>& units) {
  SideOfPoint side{.units = units.size()};
  if (!units.empty()) side.samples_per_sec = statistics::geometric_mean(units);
  if (!measured) return side;
  side.disturbed = measured->disturbed;
  side.too_brief =
      measured->disturbed && measured->withheld == 0 && !measured->trouble.contains("disturbed");
  for (const auto& [status, count] : measured->trouble) {
    side.trouble += (side.trouble.empty() ? "" : ", ") + std::to_string(count) + " " + status;
  }
  return side;
}

}  // namespace scalemark::reporting
