#include "core/reporting/compare/compare.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/base/error.h"
#include "core/reporting/compare/parts.h"
#include "core/reporting/record/verdict.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;

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
    std::optional<VerdictLevel> gravest;
    for (const NamedReport& one : side) {
      comparison.files.back().push_back(one.name);
      const auto& verdict = one.report.verdict;
      if (verdict) gravest = std::max(gravest.value_or(verdict->level), verdict->level);
    }
    comparison.quoting.push_back(gravest ? ", " + quoting_words(*gravest) : "");
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

// `tests`: of every row and, within it, of every further side.
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

// Lists what the first side has and no other, and what the first lacks of each other one.
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
