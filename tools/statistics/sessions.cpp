// A sweep that was resumed: how often do intervals hold the throughput over all sessions, when runs
// are pooled, and when the session is the unit?
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/runs.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::sessions {
namespace {

constexpr double kBetweenRuns = 0.003, kRate = 100;

using Sessions = std::vector<std::vector<double>>;

Sessions simulate(Random& random, const std::vector<int>& runs, double spread) {
  Sessions sessions;
  for (const int count : runs) {
    const double session = spread * normal(random);
    auto& rates = sessions.emplace_back();
    for (int k = 0; k < count; ++k) {
      rates.push_back(kRate * std::exp(session + kBetweenRuns * normal(random)));
    }
  }
  return sessions;
}

bool holds(const statistics::RunsEstimate& estimate) {
  return estimate.ci95 && estimate.ci95->low <= kRate && kRate <= estimate.ci95->high;
}

}  // namespace

void sessions_section(const Study& study) {
  std::uint64_t number = 8'000'000;
  const std::vector<std::pair<const char*, std::vector<int>>> kinds = {
      {"3 + 2", {3, 2}}, {"2 + 2 + 1", {2, 2, 1}}, {"5 x 2", {2, 2, 2, 2, 2}}};
  for (const auto& [name, runs] : kinds) {
    for (const double spread : {0.0, 0.003, 0.01, 0.02}) {
      if (!is_mine(study, ++number)) continue;
      Random random = random_for(study.seed, number);
      int pooled = 0, sessions = 0, intervals = 0;
      for (int trial = 0; trial < study.trials; ++trial) {
        const Sessions simulated = simulate(random, runs, spread);
        std::vector<double> all;
        for (const auto& one : simulated) all.insert(all.end(), one.begin(), one.end());
        pooled += holds(statistics::estimate_over_runs(all));
        const auto estimate = statistics::estimate_over_sessions(simulated);
        intervals += estimate.ci95.has_value();
        sessions += holds(estimate);
      }
      const double n = study.trials;
      std::printf(
          "{\"section\": \"sessions\", \"runs\": \"%s\", \"session\": %g, \"trials\": %d, "
          "\"pooled\": %.5f, \"intervals\": %.5f, \"by_session\": %.5f}\n",
          name, spread, study.trials, pooled / n, intervals / n, sessions / n);
    }
  }
}

}  // namespace scalemark::trials::sessions
