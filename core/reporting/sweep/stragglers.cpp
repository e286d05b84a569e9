#include <span>
#include <utility>

#include "core/reporting/record/point_facts.h"
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

}  // namespace scalemark::reporting
