// Runs that resemble their neighbours, AR(1): is that seen, is drift silent then, and do intervals
// hold the throughput in the long run? And is a drift of independent runs still seen?
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/runs.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::correlated {
namespace {

constexpr double kBetweenRuns = 0.01, kRate = 100;

struct Setup {
  std::size_t points, blocks;
  double phi, drift;
};

std::vector<statistics::TimedRun> simulate(Random& random, const Setup& setup) {
  std::vector<statistics::TimedRun> runs;
  const double fresh = std::sqrt(1 - setup.phi * setup.phi);
  const auto all = static_cast<double>(setup.points * setup.blocks);
  double state = normal(random);
  for (std::size_t k = 0; k < setup.blocks; ++k) {
    for (const std::size_t point : random_order(random, setup.points)) {
      const auto at = static_cast<double>(runs.size());
      const double level = kBetweenRuns * state - setup.drift * (at / all - 0.5);
      runs.push_back({point, at, kRate * std::exp(level)});
      state = setup.phi * state + fresh * normal(random);
    }
  }
  return runs;
}

struct Counts {
  int drift_before = 0, drift_now = 0, correlated = 0, covered_before = 0, covered_now = 0;
};

bool holds(const statistics::RunsEstimate& estimate) {
  return !estimate.ci95 || (estimate.ci95->low <= kRate && kRate <= estimate.ci95->high);
}

void count(Counts& counts, const std::vector<statistics::TimedRun>& runs) {
  const bool drifted = statistics::estimate_drift(runs)->finding;
  const auto correlation = statistics::correlation_of_runs(runs).value();
  counts.drift_before += drifted;
  counts.drift_now += drifted && !correlation.significant;
  counts.correlated += correlation.significant;
  std::vector<double> rates, places;
  for (const auto& run : runs) {
    if (run.point != 0) continue;
    rates.push_back(run.samples_per_sec);
    places.push_back(run.at_s);
  }
  const auto estimate = statistics::estimate_over_runs(rates);
  counts.covered_before += holds(estimate);
  counts.covered_now +=
      holds(correlation.significant
                ? widened(estimate, statistics::interval_growth(places, correlation.lag1))
                : estimate);
}

void print_scenario(Random& random, const Setup& setup, int trials) {
  Counts counts;
  for (int trial = 0; trial < trials; ++trial) count(counts, simulate(random, setup));
  const double n = trials;
  std::printf(
      "{\"section\": \"correlated\", \"points\": %zu, \"blocks\": %zu, \"phi\": %g, \"drift\": "
      "%g, \"trials\": %d, \"drift_before\": %.5f, \"drift_now\": %.5f, \"correlated\": %.5f, "
      "\"covered_before\": %.5f, \"covered_now\": %.5f}\n",
      setup.points, setup.blocks, setup.phi, setup.drift, trials, counts.drift_before / n,
      counts.drift_now / n, counts.correlated / n, counts.covered_before / n,
      counts.covered_now / n);
}

}  // namespace

void correlated_section(const Study& study) {
  std::uint64_t number = 9'000'000;
  for (const auto& [points, blocks] :
       {std::pair<std::size_t, std::size_t>{4, 5}, {12, 5}, {4, 20}}) {
    for (const double phi : {0.0, 0.5, 0.8, 0.95}) {
      for (const double drift : {0.0, 0.04}) {
        if (drift > 0 && phi > 0) continue;
        if (!is_mine(study, ++number)) continue;
        Random random = random_for(study.seed, number);
        print_scenario(random, {points, blocks, phi, drift}, study.trials);
      }
    }
  }
}

}  // namespace scalemark::trials::correlated
