#include "report/accept/acceptance.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/acceptance.h"
#include "report/accept/single_values.h"
#include "report/record/point_facts.h"

namespace scalemark::acceptance {
namespace {

using reporting::Report;

constexpr std::size_t kWallsOfCopy = 3;  // fewer equal times may be chance

Judged judged_by(const Rule& rule, const Rules& rules, const std::vector<Series>& all,
                 const Baseline* baseline) {
  switch (definition_of(rule.metric).kind) {
    case ValueKind::kFloor:
      return judge_single(rule, all);
    case ValueKind::kCount:
      return judge_counts(rule, all);
    case ValueKind::kCounter:
    case ValueKind::kState:
      return judge_counters(rule, all);
    case ValueKind::kFact:
      return judge_facts(rule, all);
    case ValueKind::kRate:
      break;
  }
  return rule.of == LimitOf::kReference ? judge_by_reference(rule, rules, all, baseline)
                                        : judge_by_floor(rule, rules, all);
}

// Returns the times of all runs of a node that was measured by itself; empty: too few to compare.
std::vector<double> wall_times_of(const Report& report) {
  std::vector<double> walls;
  if (report.environment.hosts.size() != 1) return walls;
  for (const reporting::PointRecord& run : report.points) {
    for (const reporting::RankRecord& rank : run.ranks) walls.push_back(rank.wall_s);
  }
  return walls.size() < kWallsOfCopy ? std::vector<double>{} : walls;
}

// Two machines do not take equally long to the last digit: one of the two reports is a copy under
// another name, and which one is not known.
void add_copies(std::span<const NamedReport> reports, std::vector<CheckResult>& results) {
  std::map<std::vector<double>, std::set<std::string>> hosts_of;
  for (const NamedReport& one : reports) {
    const std::vector<double> walls = wall_times_of(one.report);
    if (!walls.empty()) hosts_of[walls].insert(one.report.environment.hosts.front().hostname);
  }
  for (const auto& [walls, hosts] : hosts_of) {
    if (hosts.size() < 2) continue;
    for (const Part& node : nodes_of(reports)) {
      if (!hosts.contains(node.host)) continue;
      std::set<std::string> others = hosts;
      others.erase(node.host);
      CheckResult result =
          of_fleet(kReportCheck, Outcome::kMissing,
                   "a copy: every time in its report is that of " + listed(others, 2));
      result.part = node;
      results.push_back(std::move(result));
    }
  }
}

const std::string& started_of(const NamedReport& one) { return one.report.started; }

ExitCode exit_code(Outcome outcome) {
  if (outcome == Outcome::kPassed) return ExitCode::kPass;
  return outcome == Outcome::kFailed ? ExitCode::kFail : ExitCode::kUnsure;
}

}  // namespace

CheckResult of_fleet(const std::string& check, Outcome outcome, std::string why) {
  CheckResult result;
  result.check = check;
  result.part.host = kTheFleet;
  result.conclude(outcome, std::move(why));
  return result;
}

CheckResult result_like(const Rule& rule, const Series& series) {
  CheckResult result;
  result.check = rule.name;
  result.part = series.part;
  result.of_class = series.of_class;
  result.unit = definition_of(rule.metric).unit;
  result.starts = series.starts.size();
  return result;
}

void sort_by_time(std::vector<NamedReport>& reports) {
  std::ranges::stable_sort(reports, {}, started_of);
}

Acceptance accept(const std::vector<NamedReport>& reports, const Rules& rules,
                  const Expected& expected, const Baseline* baseline, const Topology* topology) {
  if (!std::ranges::is_sorted(reports, {}, started_of)) {
    std::vector<NamedReport> sorted = reports;
    sort_by_time(sorted);
    return accept(sorted, rules, expected, baseline, topology);
  }
  Acceptance acceptance;
  if (!reports.empty()) acceptance.started = reports.back().report.started;
  acceptance.knows_all_nodes = !expected.nodes.empty();
  std::vector<Part> nodes = nodes_of(reports);
  add_missing_nodes(expected, reports, nodes, acceptance.results);
  add_ends(reports, rules, acceptance.results);
  acceptance.stopped_early = stages_stopped_early(reports);
  add_copies(reports, acceptance.results);
  WithoutMost without_most;
  std::set<std::string> not_measured;
  std::vector<Rule> applied;
  for (const Rule& rule : rules.checks) {
    if (!applies(rule, reports, nodes.size())) continue;
    const std::vector<Series> series = read_series(rule, reports);
    if (series.empty() && definition_of(rule.metric).applies == Applies::kWhereMeasured) {
      not_measured.insert(rule.name);
      continue;
    }
    Judged judged = judged_by(rule, rules, series, baseline);
    for (const std::string& chip : judged.without_most) {
      without_most[chip].emplace(definition_of(rule.metric).name);
    }
    std::ranges::move(judged.results, std::back_inserter(acceptance.results));
    std::ranges::move(judged.classes, std::back_inserter(acceptance.classes));
    applied.push_back(rule);
  }
  add_unmeasured(applied, nodes, reports, acceptance.results);
  const auto is_judged = [](const CheckResult& result) { return result.check != kReportCheck; };
  if (std::ranges::none_of(acceptance.results, is_judged))
    acceptance.results.push_back(of_fleet("rules", Outcome::kUnsure, "no rule judged anything"));
  judge_nodes(acceptance, nodes, expected);
  if (topology != nullptr) {
    tell_shared_leaves(acceptance, *topology);
  } else {
    acceptance.notes = shared_switches(acceptance.results, acceptance.nodes, reports);
  }
  tell_links_as_one(acceptance);
  std::ranges::move(notes_of(acceptance, expected, reports, without_most),
                    std::back_inserter(acceptance.notes));
  if (!not_measured.empty()) {
    acceptance.notes.push_back("not measured by these reports, and not judged: " +
                               listed(std::vector(not_measured.begin(), not_measured.end()), 3));
  }
  for (const CheckResult& result : acceptance.results) {
    acceptance.outcome = std::max(acceptance.outcome, result.outcome);
  }
  acceptance.exit_code = exit_code(acceptance.outcome);
  return acceptance;
}

}  // namespace scalemark::acceptance
