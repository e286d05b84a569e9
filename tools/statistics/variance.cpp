// Where variance comes from: how well the parts of steps, runs and sessions are told apart, and
// whether what to buy is said rightly.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "core/statistics/variance_split.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::variance {
namespace {

constexpr std::size_t kSteps = 110;  // a default window
constexpr double kStepCv = 0.03;
// A default run on a CPU: 2 s of warm-up and half a second of set-up for 2.2 s of window.
constexpr statistics::RunCost kCost{.fixed_s = 2.5, .window_s = 2.2};

struct Setup {
  std::size_t sessions, runs;  // runs per session
  double session_spread, run_spread, phi;
};

// Variance of the mean of n steps, AR(1).
double variance_of_steps(const Setup& setup) {
  const double n = kSteps, phi = setup.phi;
  const double inflation =
      (1 + phi) / (1 - phi) - 2 * phi * (1 - std::pow(phi, n)) / (n * (1 - phi) * (1 - phi));
  return kStepCv * kStepCv / n * inflation;
}

std::vector<std::vector<statistics::SplitRun>> simulate(Random& random, const Setup& setup) {
  std::vector<std::vector<statistics::SplitRun>> sessions(setup.sessions);
  for (auto& session : sessions) {
    const double level = setup.session_spread * normal(random);
    for (std::size_t k = 0; k < setup.runs; ++k) {
      const double step_s = std::exp(level + setup.run_spread * normal(random));
      const auto steps =
          simulate_steps(random, {.step_cv = kStepCv, .phi = setup.phi}, step_s, kSteps);
      const double wall_s = std::accumulate(steps.begin(), steps.end(), 0.0);
      session.push_back({-std::log(wall_s), statistics::step_noise(steps)});
    }
  }
  return sessions;
}

bool holds(const statistics::Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

// Returns the share of the time that the best window saves, computed from the true parts.
double saved_share(const Setup& setup) {
  const double steps = variance_of_steps(setup), runs = setup.run_spread * setup.run_spread;
  const auto time = [&](double growth) {
    return (runs + steps / growth) * (kCost.fixed_s + kCost.window_s * growth);
  };
  double best = time(1);
  for (double growth = 1; growth <= 10; growth += 0.01) best = std::min(best, time(growth));
  return 1 - best / time(1);
}

struct Counts {
  double steps = 0, beyond = 0;  // mean variances
  int beyond_held = 0, sessions_held = 0, runs = 0, windows = 0, sessions = 0;
};

void count(Counts& counts, Random& random, const Setup& setup) {
  const auto split = statistics::split_variance(simulate(random, setup)).value();
  counts.steps += split.steps * split.steps;
  counts.beyond += split.between_runs * split.between_runs - split.steps * split.steps;
  counts.beyond_held += holds(split.beyond_steps_ci95, setup.run_spread);
  if (split.sessions_ci95) {
    counts.sessions_held += holds(*split.sessions_ci95, setup.session_spread);
  }
  const auto advice =
      advise_replication(split, kCost, static_cast<double>(setup.runs), setup.sessions).buy;
  counts.runs += advice == statistics::ReplicationLevel::kRuns;
  counts.windows += advice == statistics::ReplicationLevel::kWindows;
  counts.sessions += advice == statistics::ReplicationLevel::kSessions;
}

void print_scenario(Random& random, const Setup& setup, int trials) {
  Counts counts;
  for (int trial = 0; trial < trials; ++trial) count(counts, random, setup);
  const double n = trials;
  std::printf(
      "{\"section\": \"variance\", \"sessions\": %zu, \"runs\": %zu, \"session\": %g, \"run\": %g, "
      "\"phi\": %g, \"trials\": %d, \"steps_truth\": %.6f, \"steps_told\": %.6f, "
      "\"beyond_told\": %.6f, \"saves\": %.5f, \"beyond_held\": %.5f, \"sessions_held\": %.5f, "
      "\"buy_runs\": %.5f, \"buy_windows\": %.5f, \"buy_sessions\": %.5f}\n",
      setup.sessions, setup.runs, setup.session_spread, setup.run_spread, setup.phi, trials,
      std::sqrt(variance_of_steps(setup)), std::sqrt(counts.steps / n),
      std::sqrt(std::max(0.0, counts.beyond / n)), saved_share(setup), counts.beyond_held / n,
      counts.sessions_held / n, counts.runs / n, counts.windows / n, counts.sessions / n);
}

}  // namespace

void variance_section(const Study& study) {
  std::uint64_t number = 10'000'000;
  const auto scenario = [&](const Setup& setup) {
    if (!is_mine(study, ++number)) return;
    Random random = random_for(study.seed, number);
    print_scenario(random, setup, study.trials);
  };
  for (const double phi : {0.0, 0.5, 0.9}) {
    for (const double run : {0.0, 0.003, 0.009}) {
      for (const std::size_t runs : {5, 10, 20}) scenario({1, runs, 0, run, phi});
    }
  }
  for (const std::size_t sessions : {3, 5}) {
    for (const double session : {0.0, 0.005, 0.02}) scenario({sessions, 5, session, 0.003, 0});
  }
}

}  // namespace scalemark::trials::variance
