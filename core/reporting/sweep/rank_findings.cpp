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

std::string name_of_rank(const Straggler& rank) {
  return "rank " + std::to_string(rank.rank) + " (" + rank.host +
         (rank.device.empty() ? "" : ", " + rank.device) + ")";
}

// A rank with one verdict at several points.
struct ShownRank {
  const Straggler* first;
  double least, most;  // shares of the others' time
  std::vector<std::string> points;
};

std::vector<ShownRank> shown_ranks(const Report& report) {
  std::map<std::tuple<int, std::string, std::string, RankVerdict>, ShownRank> ranks;
  for (const Straggler& rank : report.stragglers) {
    if (!is_named(rank.verdict) && rank.verdict != RankVerdict::kIntermittent) continue;
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

std::string how_slow(const ShownRank& shown) {
  const std::string least = percent(shown.least), most = percent(shown.most);
  return " needs " + least + (least == most ? "" : " to " + most) + " more time of its own than " +
         (shown.first->verdict == RankVerdict::kSlower
              ? "the other rank; of two, neither can be said to be at fault: "
              : "the median of the others, in every run: ");
}

}  // namespace

std::vector<Finding> findings_of_ranks(const Report& report) {
  std::vector<Finding> findings;
  for (const ShownRank& shown : shown_ranks(report)) {
    const bool sometimes = shown.first->verdict == RankVerdict::kIntermittent;
    const auto& kind = sometimes ? finding_kinds::straggler_intermittent
                       : shown.first->verdict == RankVerdict::kSlower ? finding_kinds::ranks_unequal
                                                                      : finding_kinds::straggler;
    const std::string text =
        sometimes ? " is slower than its peers in some runs, not in every one: " : how_slow(shown);
    const Straggler& rank = *shown.first;
    findings.push_back(
        make_finding(kind, "", name_of_rank(rank) + text + listed(shown.points),
                     FindingPlace{.rank = rank.rank, .host = rank.host, .device = rank.device}));
  }
  return findings;
}

}  // namespace scalemark::reporting
