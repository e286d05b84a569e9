// Each rank that stands out gives one finding, however many points show it.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {
namespace {

// A rank with one verdict at several points.
struct ShownRank {
  const Straggler* first;
  double least, most;  // shares of the others' time
  std::vector<std::string> points;
};

std::vector<ShownRank> shown_ranks(const Report& report) {
  std::map<std::tuple<int, std::string, std::string, RankVerdict>, ShownRank> ranks;
  for (const Straggler& rank : report.stragglers) {
    if (!naming(rank.verdict)) continue;
    const double by = std::expm1(rank.deviation);  // ln seconds to a share of the others' time
    const auto key = std::tuple(rank.rank, rank.host, rank.device, rank.verdict);
    ShownRank& shown = ranks.try_emplace(key, ShownRank{&rank, by, by, {}}).first->second;
    shown.least = std::min(shown.least, by);
    shown.most = std::max(shown.most, by);
    shown.points.push_back(rank.verdict == RankVerdict::kIntermittent
                               ? rank.group + " (" + std::to_string(rank.slow_runs) + " of " +
                                     std::to_string(rank.runs) + " runs)"
                               : rank.group);
  }
  std::vector<ShownRank> shown;
  for (auto& [key, rank] : ranks) shown.push_back(std::move(rank));
  return shown;
}

}  // namespace

std::vector<Finding> findings_of_ranks(const Report& report) {
  std::vector<Finding> findings;
  for (const ShownRank& shown : shown_ranks(report)) {
    const Straggler& rank = *shown.first;
    findings.push_back(make_finding(
        *naming(rank.verdict), "",
        {{"by_least", shown.least}, {"by_most", shown.most}, {"points", listed(shown.points)}},
        FindingPlace{.rank = rank.rank, .host = rank.host, .device = rank.device}));
  }
  return findings;
}

}  // namespace scalemark::reporting
