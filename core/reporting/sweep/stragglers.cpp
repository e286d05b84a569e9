#include <cmath>

#include "core/reporting/sweep/runs.h"
#include "core/statistics/straggler.h"

namespace scalemark::reporting {
namespace {

constexpr double kWorthLooking = 0.03;  // METRICS.md, "Straggler": the least threshold

std::string verdict_text(statistics::StragglerVerdict verdict) {
  switch (verdict) {
    case statistics::StragglerVerdict::kNormal:
      return "within noise";
    case statistics::StragglerVerdict::kTooFewRuns:
      return "too few runs";
    case statistics::StragglerVerdict::kSlower:
      return "slower";
    case statistics::StragglerVerdict::kAtFault:
      return "straggler";
  }
  return "within noise";
}

// One value per rank; empty when a rank's logarithm is not known.
std::vector<double> logarithms_of(const PointRecord& run) {
  std::vector<double> values;
  for (const RankRecord& rank : run.ranks) {
    if (!rank.own_mean_ln) return {};
    values.push_back(*rank.own_mean_ln);
  }
  return values;
}

void add_group(const std::string& group, const Runs& runs, std::vector<Straggler>& found) {
  std::vector<std::vector<double>> own;
  const PointRecord* like = nullptr;  // only runs with the same ranks and hosts are compared
  for (const PointRecord* run : runs) {
    auto values = logarithms_of(*run);
    if (values.size() < 2 || (like && like->ranks.size() != values.size())) continue;
    like = like ? like : run;
    own.push_back(std::move(values));
  }
  if (own.empty()) return;
  const auto delays = statistics::judge_ranks(own);
  for (std::size_t r = 0; r < delays.size(); ++r) {
    const auto& delay = delays[r];
    const bool normal = delay.verdict == statistics::StragglerVerdict::kNormal;
    if (normal && delay.slower_by < kWorthLooking) continue;
    const RankRecord& rank = like->ranks[r];
    found.push_back({.group = group,
                     .rank = rank.rank,
                     .host = rank.host,
                     .device = rank.device,
                     .deviation = delay.slower_by,
                     .low95 = delay.lower_bound,
                     .verdict = verdict_text(delay.verdict)});
  }
}

}  // namespace

std::vector<Straggler> stragglers_of(const RunsByGroup& runs) {
  std::vector<Straggler> found;
  for (const std::string& group : runs.groups()) add_group(group, runs.ok(group), found);
  return found;
}

}  // namespace scalemark::reporting
