#include "core/reporting/sweep/runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace scalemark::reporting {

std::vector<Runs> by_session(const Runs& runs) {
  std::map<int, Runs> sessions;
  for (const PointRecord* run : runs) sessions[run->session].push_back(run);
  std::vector<Runs> ordered;
  for (auto& [session, its_runs] : sessions) ordered.push_back(std::move(its_runs));
  return ordered;
}

bool same_ranks(const PointRecord& a, const PointRecord& b) {
  return std::ranges::equal(a.ranks, b.ranks, [](const RankRecord& x, const RankRecord& y) {
    return std::tie(x.rank, x.host, x.device) == std::tie(y.rank, y.host, y.device);
  });
}

std::vector<std::vector<double>> rates_by_session(const Runs& runs) {
  std::vector<std::vector<double>> rates;
  for (const Runs& session : by_session(runs)) {
    auto& of_session = rates.emplace_back();
    for (const PointRecord* run : session) of_session.push_back(run->samples_per_sec);
  }
  return rates;
}

std::optional<double> step_time_of(const Runs& runs, double samples_per_sec) {
  const auto of_step = [](const PointRecord& run) {
    return static_cast<double>(run.samples) / static_cast<double>(run.iterations);
  };
  const double first = of_step(*runs.front());
  if (!(first > 0) || !std::isfinite(first)) return std::nullopt;  // imported reports lack them
  const bool same =
      std::ranges::all_of(runs, [&](const PointRecord* run) { return of_step(*run) == first; });
  const double step_s = first / samples_per_sec;
  return same && std::isfinite(step_s) ? std::optional(step_s) : std::nullopt;
}

std::vector<statistics::ThroughputPair> rates_of(const std::vector<SweepPair>& pairs) {
  std::vector<statistics::ThroughputPair> rates;
  for (const SweepPair& pair : pairs) {
    rates.push_back({pair.baseline->samples_per_sec, pair.scaled->samples_per_sec});
  }
  return rates;
}

}  // namespace scalemark::reporting
