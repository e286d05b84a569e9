// Points whose runs lie on two levels, and the point that is the fastest.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/fastest.h"
#include "core/statistics/summary.h"
#include "core/statistics/two_levels.h"

namespace scalemark::reporting {
namespace {

// One value per run, or per session where there are several: what one session shifts is in all of
// its runs.
std::vector<double> units_of(const Runs& runs) {
  const auto sessions = rates_by_session(runs);
  if (sessions.size() == 1) return sessions.front();
  std::vector<double> means;
  for (const auto& rates : sessions) means.push_back(geometric_mean(rates));
  return means;
}

}  // namespace

std::vector<Finding> findings_of_levels(const RunsByGroup& runs) {
  std::vector<std::string> groups;
  std::vector<std::vector<double>> series;
  for (const std::string& group : runs.groups()) {
    for (auto& rates : rates_by_session(runs.ok(group))) {
      groups.push_back(group);
      series.push_back(std::move(rates));
    }
  }
  std::vector<Finding> findings;
  const auto judged = statistics::judge_levels(series);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i] || !judged[i]->two) continue;
    const statistics::Levels& levels = *judged[i];
    findings.push_back(make_finding(finding_kinds::two_levels, "",
                                    {{"group", groups[i]},
                                     {"slow", levels.slow_runs},
                                     {"runs", levels.runs},
                                     {"by", -std::expm1(-levels.slower_by)}}));
  }
  return findings;
}

// A point without enough fit runs may be as fast as any.
std::optional<FastestPoint> fastest_point(const RunsByGroup& runs) {
  std::vector<std::string> groups, disturbed;
  std::vector<std::vector<double>> rates;
  for (const std::string& group : runs.groups()) {
    const Runs good = runs.ok(group);
    if (good.empty() || is_solo(*good.front())) continue;
    const Runs fit = runs.fit(group);
    if (fit.empty()) {
      disturbed.push_back(group);
      continue;
    }
    groups.push_back(group);
    rates.push_back(units_of(fit));
  }
  const auto found = statistics::fastest_of(rates);
  if (!found) return std::nullopt;
  FastestPoint fastest{.group = groups[found->best]};
  for (const std::size_t other : found->others) fastest.not_told_apart.push_back(groups[other]);
  std::ranges::move(disturbed, std::back_inserter(fastest.not_told_apart));
  return fastest;
}

}  // namespace scalemark::reporting
