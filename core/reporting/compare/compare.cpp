#include "core/reporting/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/reporting/compare/differences.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/report_json.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;

// One group on one side: rates by session, and the other runs counted by what went wrong.
struct Measured {
  const PointRecord* example = nullptr;
  std::map<std::pair<std::size_t, int>, std::vector<double>> rates;  // (file, session)
  std::map<std::string, std::size_t> trouble;
};

struct Side {
  std::vector<std::string> order;  // groups as they first appear
  std::map<std::string, Measured> groups;
};

Side read_side(const ComparedSide& reports) {
  Side side;
  for (std::size_t file = 0; file < reports.size(); ++file) {
    for (const PointRecord& point : reports[file].report.points) {
      const auto [found, is_new] = side.groups.try_emplace(point.group);
      if (is_new) side.order.push_back(point.group);
      if (!found->second.example) found->second.example = &point;
      if (point.status == PointStatus::kOk && !(point.samples_per_sec > 0)) {
        ++found->second.trouble["without a rate"];  // a rate of 0 has no logarithm
      } else if (point.status == PointStatus::kOk) {
        found->second.rates[{file, point.session}].push_back(point.samples_per_sec);
      } else {
        ++found->second.trouble[std::string(name_of(point.status))];
      }
    }
  }
  return side;
}

std::size_t count_sessions(const ComparedSide& reports) {
  std::set<std::pair<std::size_t, int>> sessions;
  for (std::size_t file = 0; file < reports.size(); ++file) {
    for (const PointRecord& point : reports[file].report.points) {
      sessions.insert({file, point.session});
    }
  }
  return sessions.size();
}

double geometric_mean(std::span<const double> values) {
  return std::exp(statistics::mean(statistics::logarithms(values)));
}

std::vector<double> units_of(const Measured& measured, bool unit_is_session) {
  std::vector<double> units;
  for (const auto& [session, rates] : measured.rates) {
    if (unit_is_session) {
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

const Measured* find(const Side& side, const std::string& group) {
  const auto found = side.groups.find(group);
  return found == side.groups.end() ? nullptr : &found->second;
}

std::string counted(std::size_t units, bool unit_is_session) {
  return std::to_string(units) + (unit_is_session ? " session" : " run") + (units == 1 ? "" : "s");
}

std::string reason_for(const SideOfPoint& before, const PointAgainst& against, const char* absent,
                       bool unit_is_session) {
  if (against.change.change != Change::kUnsure) return "";
  if (before.units == 0) return "not measured on the first side";
  if (against.after.units == 0) {
    return against.after.trouble.empty() ? absent : "not measured: " + against.after.trouble;
  }
  const std::size_t units = std::min(before.units, against.after.units);
  if (units < statistics::kUnitsToCompare) {
    return counted(units, unit_is_session) + " on one side: three are needed";
  }
  return "the interval reaches across the threshold";
}

// A row and, for each further side, the values to test.
struct Prepared {
  ComparedPoint row;
  std::vector<statistics::PointSides> tests;
};

Prepared prepare(const std::string& group, std::span<const Side> sides, bool unit_is_session) {
  const Measured& first = *find(sides[0], group);
  const std::vector<double> before = units_of(first, unit_is_session);
  Prepared prepared{.row = {.group = group,
                            .unit = sample_unit(first.example->workload),
                            .before = side_of_point(&first, before)}};
  for (const Side& side : sides.subspan(1)) {
    const Measured* measured = find(side, group);
    const std::vector<double> after =
        measured ? units_of(*measured, unit_is_session) : std::vector<double>{};
    prepared.row.against.push_back({.after = side_of_point(measured, after)});
    prepared.tests.push_back({before, after});
  }
  return prepared;
}

void refuse_without_common_points(std::span<const Side> sides) {
  for (const Side& side : sides.subspan(1)) {
    const bool common = std::ranges::any_of(
        side.order, [&](const std::string& group) { return find(sides[0], group) != nullptr; });
    if (common) continue;
    throw bad_data("the sides have no point in common: the first has " +
                       (sides[0].order.empty() ? "none" : "'" + sides[0].order.front() + "'") +
                       ", the other " +
                       (side.order.empty() ? "none" : "'" + side.order.front() + "'"),
                   "reports that hold at least one point of the same group are expected");
  }
}

}  // namespace

Comparison compare_sides(std::span<const ComparedSide> reports, double threshold) {
  if (reports.size() < 2) throw bug("compare_sides() needs two sides");
  std::vector<Side> sides;
  Comparison comparison{.threshold = threshold};
  for (const ComparedSide& side : reports) {
    sides.push_back(read_side(side));
    comparison.sessions.push_back(count_sessions(side));
    comparison.unit_is_session |= side.size() > 1;
    comparison.files.emplace_back();
    for (const NamedReport& report : side) comparison.files.back().push_back(report.name);
  }
  refuse_without_common_points(sides);

  std::vector<statistics::PointSides> tests;
  for (const std::string& group : sides[0].order) {
    Prepared prepared = prepare(group, sides, comparison.unit_is_session);
    comparison.points.push_back(std::move(prepared.row));
    tests.insert(tests.end(), prepared.tests.begin(), prepared.tests.end());
  }
  const auto changes = statistics::compare_points(tests, threshold);
  auto change = changes.begin();
  for (ComparedPoint& point : comparison.points) {
    for (PointAgainst& against : point.against) {
      against.change = *change++;
      against.reason = reason_for(point.before, against, "no new report holds the point",
                                  comparison.unit_is_session);
    }
  }
  std::set<std::string> unknown;
  for (const Side& side : std::span<const Side>(sides).subspan(1)) {
    for (const std::string& group : side.order) {
      if (!find(sides[0], group)) unknown.insert(group);
    }
  }
  comparison.new_points.assign(unknown.begin(), unknown.end());
  comparison.differences = find_differences(reports);
  return comparison;
}

ExitCode exit_code(const Comparison& comparison) {
  bool unsure = false;
  for (const ComparedPoint& point : comparison.points) {
    for (const PointAgainst& against : point.against) {
      if (against.change.change == Change::kSlower) return ExitCode::kFail;
      unsure |= against.change.change == Change::kUnsure;
    }
  }
  return unsure ? ExitCode::kUnsure : ExitCode::kPass;
}

}  // namespace scalemark::reporting
