#include "core/reporting/compare/sides.h"

#include <cmath>
#include <set>

#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

using statistics::ComparedUnit;

double geometric_mean(std::span<const double> values) {
  return std::exp(statistics::mean(statistics::logarithms(values)));
}

void add_run(Measured& measured, std::size_t file, const PointRecord& point) {
  if (!measured.example) measured.example = &point;
  if (point.status == PointStatus::kOk && !(point.samples_per_sec > 0)) {
    ++measured.trouble["without a rate"];  // a rate of 0 has no logarithm
  } else if (point.status == PointStatus::kOk) {
    measured.rates[{file, point.session}].push_back(point.samples_per_sec);
  } else {
    ++measured.trouble[std::string(name_of(point.status))];
  }
}

}  // namespace

Side read_side(const ComparedSide& reports) {
  Side side;
  for (std::size_t file = 0; file < reports.size(); ++file) {
    for (const PointRecord& point : reports[file].report.points) {
      const auto [found, is_new] = side.groups.try_emplace(point.group);
      if (is_new) side.order.push_back(point.group);
      add_run(found->second, file, point);
    }
  }
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
      units.push_back(geometric_mean(rates));
    } else {
      units.insert(units.end(), rates.begin(), rates.end());
    }
  }
  return units;
}

SideOfPoint side_of_point(const Measured* measured, const std::vector<double>& units) {
  SideOfPoint side{.units = units.size()};
  if (!units.empty()) side.samples_per_sec = geometric_mean(units);
  if (!measured) return side;
  for (const auto& [status, count] : measured->trouble) {
    side.trouble += (side.trouble.empty() ? "" : ", ") + std::to_string(count) + " " + status;
  }
  return side;
}

}  // namespace scalemark::reporting
