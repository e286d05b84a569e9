// Runs that are measured again because their window was disturbed: what does it do to the
// throughput over five runs that the last attempt counts, and what would it do if the best did?
#include <algorithm>
#include <boost/random/bernoulli_distribution.hpp>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "core/plan/sweep_schedule.h"
#include "core/statistics/runs.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::attempts {
namespace {

constexpr double kBetweenRuns = 0.01, kRate = 100;
constexpr int kRuns = 5;

struct Scenario {
  double disturbed = 0;  // share of the windows
  double slower = 0;     // a disturbance has this effect; 0: what was found has none
  int retries = 1;
};

struct Attempt {
  double rate = 0;
  bool disturbed = false;
};

Attempt simulate(Random& random, const Scenario& scenario) {
  const bool disturbed = boost::random::bernoulli_distribution<>(scenario.disturbed)(random);
  const double level = disturbed ? 1 - scenario.slower : 1;
  return {.rate = kRate * level * std::exp(kBetweenRuns * normal(random)), .disturbed = disturbed};
}

// Each list has the rates of one sweep's runs: by the first attempt of each, its last, its best.
struct Rates {
  std::vector<double> first, last, best;
};

planning::Plan plan_of(const Scenario& scenario) {
  planning::Plan plan;
  plan.stop.least_blocks = kRuns;
  plan.sweep.retries = scenario.retries;
  plan.points.emplace_back().group = std::string("p");
  return plan;
}

// The product's schedule decides what is measured again; only what it was given counts.
Rates run_sweep(Random& random, const Scenario& scenario, const planning::Plan& plan) {
  planning::SweepSchedule schedule(plan, {});
  Rates rates;
  std::vector<double> attempts;
  while (const auto task = schedule.next(0)) {
    const Attempt attempt = simulate(random, scenario);
    attempts.push_back(attempt.rate);
    if (attempt.disturbed && schedule.repeats_disturbed_run(*task, 0)) continue;
    schedule.record_outcome(*task, planning::Ending::kOk, attempt.rate);
    rates.first.push_back(attempts.front());
    rates.last.push_back(attempts.back());
    rates.best.push_back(*std::ranges::max_element(attempts));
    attempts.clear();
  }
  return rates;
}

struct Tally {
  double bias = 0;  // sum of ln (estimate / truth)
  int above = 0, covered = 0;

  void add(const std::vector<double>& rates) {
    const auto estimate = statistics::estimate_over_runs(rates);
    bias += std::log(estimate.value / kRate);
    above += estimate.value > kRate;
    covered += estimate.ci95->low <= kRate && kRate <= estimate.ci95->high;
  }
};

void print(const char* name, const Tally& tally, double n) {
  std::printf(", \"%s\": %.6f, \"%s_above\": %.5f, \"%s_covered\": %.5f", name, tally.bias / n,
              name, tally.above / n, name, tally.covered / n);
}

}  // namespace

void attempts_section(const Study& study) {
  std::uint64_t number = 9'000'000;
  for (const double share : {0.2, 0.5, 1.0}) {
    for (const double slower : {0.0, 0.05}) {
      for (const int retries : {1, 3}) {
        if (!is_mine(study, ++number)) continue;
        const Scenario scenario{.disturbed = share, .slower = slower, .retries = retries};
        const planning::Plan plan = plan_of(scenario);
        Random random = random_for(study.seed, number);
        Tally first, last, best;
        for (int trial = 0; trial < study.trials; ++trial) {
          const Rates rates = run_sweep(random, scenario, plan);
          first.add(rates.first);
          last.add(rates.last);
          best.add(rates.best);
        }
        std::printf(
            "{\"section\": \"attempts\", \"disturbed\": %g, \"slows\": %g, "
            "\"retries\": %d, \"trials\": %d",
            share, slower, retries, study.trials);
        print("first", first, study.trials);
        print("last", last, study.trials);
        print("best", best, study.trials);
        std::printf("}\n");
      }
    }
  }
}

}  // namespace scalemark::trials::attempts
