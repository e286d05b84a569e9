#include "report/say/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/statistics/runs.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"
#include "report/record/verdict.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;

// Sessions of different files are different ones.
using SessionKey = std::pair<std::size_t, int>;  // index of the file, session within it

// One group on one side: its rates by session, and how many other runs failed in which way.
struct Measured {
  std::string unit;  // "images", "calls": what rates count
  std::map<SessionKey, std::vector<double>> rates;
  std::map<SessionKey, std::vector<double>> fit_rates;  // rates of undisturbed runs
  Basis basis;                                          // covers the runs with a rate
  std::ptrdiff_t withheld = 0;  // runs without a usable rate, since their clocks disagree
  bool disturbed = false;       // too few runs were undisturbed, so `rates` holds all runs
  std::map<std::string, std::size_t> trouble;
};

// One side: the rates of its points, and those of its collectives, in calls.
struct Side {
  std::vector<std::string> order;  // groups in the order of their first runs
  std::map<std::string, Measured> groups;
};

struct Run {
  std::string group, unit;
  SessionKey session;
  PointStatus status;
  double rate = 0;  // per second; has a meaning only where status is ok
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

// A comparison is judged from undisturbed runs. Too few of them decide nothing.
void keep_fit(Measured& measured) {
  const Basis& basis = measured.basis;
  const auto all = basis.runs + measured.withheld;
  if (basis.fit() == all) return;
  const auto count_trouble = [&](const char* what, std::ptrdiff_t runs) {
    if (runs > 0) measured.trouble[what] = static_cast<std::size_t>(runs);
  };
  count_trouble("too brief to tell", basis.brief);
  count_trouble("disturbed", basis.disturbed);
  measured.disturbed = !fit_decide(basis.fit(), all);
  if (!measured.disturbed) measured.rates = measured.fit_rates;
}

// Adds groups in the plan's order, by size, since the runs come in random order.
void add_in_order(Side& side, const std::vector<CollectiveGroup>& groups) {
  for (const CollectiveGroup& group : groups) {
    if (side.groups.try_emplace(group.group).second) side.order.push_back(group.group);
  }
}

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

// Returns nullptr where the side has no run of the group.
const Measured* find(const Side& side, const std::string& group) {
  const auto found = side.groups.find(group);
  return found == side.groups.end() ? nullptr : &found->second;
}

// Counts the sessions that measured anything.
std::size_t count_sessions(const Side& side) {
  std::set<SessionKey> sessions;
  for (const auto& [group, measured] : side.groups) {
    for (const auto& [session, rates] : measured.rates) sessions.insert(session);
  }
  return sessions.size();
}

// Returns one value per run, or per session the geometric mean of its runs. Empty for nullptr.
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

std::span<const Side> further(const std::vector<Side>& sides) {
  return std::span<const Side>(sides).subspan(1);
}

void refuse_without_common_points(const std::vector<Side>& sides) {
  for (const Side& side : further(sides)) {
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

ComparedUnit unit_of(const std::vector<std::size_t>& sessions, bool same_session) {
  const std::size_t most = *std::ranges::max_element(sessions);
  if (same_session && most > 1) {
    throw bad_data(
        "--same-session is given, and a side holds " + std::to_string(most) + " sessions",
        "sides of one session each are expected with it");
  }
  if (most > 1) return ComparedUnit::kSession;
  return same_session ? ComparedUnit::kRunOfTheSameSession : ComparedUnit::kRunOfOneSession;
}

Comparison with_sides(std::span<const ComparedSide> reports, const std::vector<Side>& sides,
                      const CompareRule& rule) {
  Comparison comparison{.threshold = rule.threshold};
  for (const ComparedSide& side : reports) {
    comparison.files.emplace_back();
    std::optional<VerdictLevel> most_severe;
    for (const NamedReport& one : side) {
      comparison.files.back().push_back(one.name);
      const auto& verdict = one.report.verdict;
      if (verdict) most_severe = std::max(most_severe.value_or(verdict->level), verdict->level);
    }
    comparison.quoting.push_back(most_severe ? ", " + quoting_words(*most_severe) : "");
  }
  for (const Side& side : sides) comparison.sessions.push_back(count_sessions(side));
  comparison.unit = unit_of(comparison.sessions, rule.same_session);
  return comparison;
}

// Adds the row of a group, and the values to test for each further side.
void add_row(Comparison& comparison, std::vector<statistics::PointSides>& tests,
             const std::vector<Side>& sides, const std::string& group) {
  const Measured* first = find(sides[0], group);
  const std::vector<double> before = units_of(first, comparison.unit);
  ComparedPoint row{.group = group, .unit = first->unit, .before = side_of_point(first, before)};
  for (const Side& side : further(sides)) {
    const Measured* measured = find(side, group);
    const std::vector<double> after = units_of(measured, comparison.unit);
    row.against.push_back({.after = side_of_point(measured, after), .absent = !measured});
    tests.push_back({before, after});
  }
  comparison.points.push_back(std::move(row));
}

// `tests` has an entry for every further side of the first row, then of the second, and so on.
void judge_rows(Comparison& comparison, std::span<const statistics::PointSides> tests) {
  const auto changes = statistics::compare_points(tests, comparison.unit, comparison.threshold);
  const auto tested = static_cast<std::size_t>(std::ranges::count_if(
      changes, [](const statistics::PointChange& one) { return one.p_adjusted.has_value(); }));
  auto change = changes.begin();
  for (ComparedPoint& point : comparison.points) {
    for (PointAgainst& against : point.against) {
      against.change = *change++;
      if (against.absent) continue;
      if (point.before.disturbed || against.after.disturbed) {
        against.change.change = Change::kDisturbed;
      }
      against.certain = what_is_certain(against.change, comparison);
      against.reason = why_undecided(point.before, against, comparison, tested);
    }
  }
}

// Lists which points only the first side has, and for each other side those that the first lacks.
std::vector<std::vector<std::string>> not_compared(const std::vector<Side>& sides) {
  std::vector<std::vector<std::string>> only(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto others = i == 0 ? further(sides) : std::span(sides).first(1);
    std::ranges::copy_if(sides[i].order, std::back_inserter(only[i]), [&](const auto& group) {
      return std::ranges::none_of(others, [&](const Side& side) { return find(side, group); });
    });
  }
  return only;
}

}  // namespace

Comparison compare_sides(std::span<const ComparedSide> reports, const CompareRule& rule) {
  if (reports.size() < 2) throw bug("compare_sides() needs two sides");
  std::vector<Side> sides;
  for (const ComparedSide& side : reports) sides.push_back(read_side(side));
  if (!are_fingerprints_alone(reports)) refuse_without_common_points(sides);

  Comparison comparison = with_sides(reports, sides, rule);
  std::vector<statistics::PointSides> tests;
  comparison.only = not_compared(sides);
  for (const std::string& group : sides[0].order) {
    if (!std::ranges::count(comparison.only[0], group)) add_row(comparison, tests, sides, group);
  }
  judge_rows(comparison, tests);
  comparison.differences = find_differences(reports);
  comparison.fingerprints = compare_fingerprints(reports, rule.threshold);
  return comparison;
}

ExitCode exit_code(const Comparison& comparison) {
  if (count_of(comparison, Change::kSlower) > 0) return ExitCode::kFail;
  const std::size_t undecided = count_of(comparison, Change::kUnsure) +
                                count_of(comparison, Change::kDiffers) +
                                count_of(comparison, Change::kDisturbed);
  return undecided > 0 ? ExitCode::kUnsure : ExitCode::kPass;
}

}  // namespace scalemark::reporting
