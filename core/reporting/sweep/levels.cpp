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
#include "core/statistics/runs.h"
#include "core/statistics/two_levels.h"

namespace scalemark::reporting {
namespace {

// One value per run, or per session where there are several: what one session shifts is in all of
// its runs.
std::vector<double> units_of(const Runs& runs) {
  const auto sessions = rates_by_session(runs);
  if (sessions.size() == 1) return sessions.front();
  std::vector<double> means;
  for (const auto& rates : sessions) means.push_back(statistics::geometric_mean(rates));
  return means;
}

}  // namespace

std::vector<Finding> findings_of_levels(const SweepRuns& runs) {
  std::vector<std::string> groups;
  std::vector<std::vector<double>> series;
  for (const auto& group : runs) {
    for (auto& rates : rates_by_session(group.ok)) {
      groups.push_back(group.first().group);
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
std::optional<FastestPoint> fastest_point(const SweepRuns& runs) {
  std::vector<std::string> groups, disturbed;
  std::vector<std::vector<double>> rates;
  for (const auto& group : runs) {
    if (group.ok.empty() || is_solo(*group.ok.front())) continue;
    const Runs fit = group.fit();
    (fit.empty() ? disturbed : groups).push_back(group.first().group);
    if (!fit.empty()) rates.push_back(units_of(fit));
  }
  const auto found = statistics::fastest_of(rates);
  if (!found) return std::nullopt;
  FastestPoint fastest{.group = groups[found->best]};
  for (const std::size_t other : found->others) fastest.not_told_apart.push_back(groups[other]);
  std::ranges::move(disturbed, std::back_inserter(fastest.not_told_apart));
  return fastest;
}

}  // namespace scalemark::reporting
