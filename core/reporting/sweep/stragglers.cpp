#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/straggler.h"

namespace scalemark::reporting {
namespace {

constexpr double kWorthLooking = 0.03;  // METRICS.md, "Straggler": the least threshold

// One value per peer; empty when a rank's logarithm is not known.
std::vector<double> logarithms_of(const PointRecord& run) {
  std::vector<double> values;
  for (const RankRecord& rank : peers_of(run)) {
    if (!rank.own_mean_ln) return {};
    values.push_back(*rank.own_mean_ln);
  }
  return values;
}

// The runs of a point that can be compared: of the same ranks on the same devices.
struct Compared {
  const PointRecord* like = nullptr;
  statistics::RunsOfRanks own;
  bool disturbed = false;  // too few are left that nothing disturbed: these are all
};

Compared compared_runs(const Runs& runs) {
  Compared compared;
  for (const PointRecord* run : runs) {
    auto values = logarithms_of(*run);
    if (values.size() < 2 || (compared.like && !same_ranks(*compared.like, *run))) continue;
    if (!compared.like) compared.like = run;
    compared.own.push_back(std::move(values));
  }
  return compared;
}

// Something else that ran on a machine slows single ranks down: too few runs without it show no
// slow rank, and no healthy one.
RankVerdict verdict_of(const statistics::RankDelay& delay, bool disturbed) {
  const bool is_normal = delay.verdict == RankVerdict::kWithinNoise;
  return disturbed && !is_normal ? RankVerdict::kDisturbed : delay.verdict;
}

void add_point(const Compared& point, const std::vector<statistics::RankDelay>& delays,
               std::vector<Straggler>& found) {
  for (std::size_t r = 0; r < delays.size(); ++r) {
    const auto& delay = delays[r];
    const bool normal = delay.verdict == RankVerdict::kWithinNoise;
    if (normal && delay.slower_by < kWorthLooking) continue;
    const RankRecord& rank = peers_of(*point.like)[r];
    found.push_back({.group = point.like->group,
                     .rank = rank.rank,
                     .host = rank.host,
                     .device = rank.device,
                     .deviation = delay.slower_by,
                     .low95 = delay.lower_bound,
                     .runs = static_cast<int>(point.own.size()),
                     .slow_runs = static_cast<int>(delay.slow_runs),
                     .verdict = verdict_of(delay, point.disturbed)});
  }
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

// All points are judged together: the more are looked at, the more a healthy rank stands out by
// chance.
std::vector<Straggler> stragglers_of(const SweepRuns& runs, double device_spread) {
  std::vector<Compared> points;
  std::vector<statistics::RunsOfRanks> own;
  for (const auto& group : runs) {
    const Runs fit = group.fit();
    Compared point = compared_runs(fit.empty() ? group.ok : fit);
    point.disturbed = fit.empty();
    if (point.own.empty()) continue;
    own.push_back(point.own);
    points.push_back(std::move(point));
  }
  const auto delays = statistics::judge_ranks_of_points(own, device_spread);
  std::vector<Straggler> found;
  for (std::size_t i = 0; i < points.size(); ++i) add_point(points[i], delays[i], found);
  return found;
}

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
