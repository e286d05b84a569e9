// How often 95 % intervals hold the truth.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"
#include "tools/statistics/sections.h"
#include "tools/statistics/stop.h"
#include "tools/statistics/sweep_model.h"

namespace scalemark::trials::coverage {
namespace {

constexpr std::size_t kMostRepetitions = 400;
constexpr double kLevels[] = {0, 0.005, 0.01, 0.02};
constexpr double kCorrelations[] = {0, 0.5, 0.9};
constexpr Outliers kOutliers[] = {Outliers::kNone, Outliers::kUsual, Outliers::kRareAndHeavy};

bool holds(const statistics::Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

struct Counts {
  int throughput = 0, efficiency = 0, within_run = 0, within_runs_known = 0, any_session = 0;
  int drift = 0, drift_found = 0;
  double repetitions = 0;
};

struct Measured {
  std::vector<double> baseline, scaled;
  std::vector<statistics::ThroughputPair> pairs;
  std::vector<statistics::TimedRun> runs;
};

void add(Measured& measured, const Block& block) {
  measured.baseline.push_back(block.baseline.samples_per_sec);
  measured.scaled.push_back(block.scaled.samples_per_sec);
  measured.pairs.push_back({block.baseline.samples_per_sec, block.scaled.samples_per_sec});
  measured.runs.push_back({0, block.baseline.at, block.baseline.samples_per_sec});
  measured.runs.push_back({1, block.scaled.at, block.scaled.samples_per_sec});
}

void count_intervals(Counts& counts, const Measured& measured, const SweepModel& sweep) {
  const double truth = sweep.true_baseline_rate();
  const auto throughput = statistics::estimate_over_runs(measured.baseline).ci95.value();
  counts.throughput += holds(throughput, truth);
  counts.any_session += holds(throughput, truth * std::exp(sweep.session()));
  counts.efficiency +=
      holds(statistics::paired_efficiency(measured.pairs, kRanks).efficiency_ci95.value(),
            kTrueEfficiency);
  counts.repetitions += static_cast<double>(measured.baseline.size());
}

// One run's interval against the throughput of the point, drift up to here included.
void count_within_run(Counts& counts, const Scenario& scenario, const SimulatedRun& run) {
  const auto interval = statistics::batch_means_interval(run.steps_s);
  if (!interval) return;
  ++counts.within_runs_known;
  counts.within_run +=
      holds(*interval, kBaselineStep_s * expected_step(scenario.noise) * std::exp(run.level));
}

// The drift of throughput is that of the step time, inverted, over the runs that were made.
void count_drift(Counts& counts, const Scenario& scenario, const Measured& measured) {
  const auto drift = statistics::estimate_drift(measured.runs);
  if (!drift) return;
  double first = 1e9, last = 0;
  for (const auto& run : measured.runs) {
    first = std::min(first, run.at_s);
    last = std::max(last, run.at_s);
  }
  const double truth =
      std::expm1(-scenario.effects.drift * (last - first) / static_cast<double>(kRepetitions));
  counts.drift += holds(drift->ci95, truth);
  counts.drift_found += drift->finding;
}

void print_scenario(const char* section, const Scenario& scenario, int trials,
                    const Counts& counts) {
  const double n = trials;
  std::printf(
      "{\"section\": \"%s\", \"session\": %g, \"drift\": %g, \"run\": %g, \"phi\": %g, "
      "\"outliers\": \"%s\", \"trials\": %d, \"throughput\": %.5f, \"efficiency\": %.5f, "
      "\"any_session\": %.5f, \"repetitions\": %.2f",
      section, scenario.effects.session, scenario.effects.drift, scenario.effects.run,
      scenario.noise.phi, name_of(scenario.noise.outliers), trials, counts.throughput / n,
      counts.efficiency / n, counts.any_session / n, counts.repetitions / n);
  if (counts.within_runs_known > 0) {
    std::printf(", \"within_run\": %.5f, \"drift_coverage\": %.5f, \"drift_found\": %.5f",
                static_cast<double>(counts.within_run) / counts.within_runs_known, counts.drift / n,
                counts.drift_found / n);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

template <class Use>
void each_noise(const Effects& effects, Use use) {
  for (const double phi : kCorrelations) {
    for (const Outliers outliers : kOutliers) {
      use(Scenario{effects, {.phi = phi, .outliers = outliers}});
    }
  }
}

// All three effects at the same level; or drift and run effects in all combinations, with the
// largest session effect (on which no figure but any_session depends).
template <class Use>
void each_scenario(bool every, Use use) {
  for (const double run : kLevels) {
    if (!every) {
      each_noise({.session = run, .drift = run, .run = run}, use);
      continue;
    }
    for (const double drift : kLevels) {
      each_noise({.session = 0.02, .drift = drift, .run = run}, use);
    }
  }
}

bool is_sure(const Measured& measured) {
  const auto known = [](const statistics::StopQuantity& quantity) {
    return known_well_enough(quantity, 0.01);
  };
  return known(quantity_of(statistics::estimate_over_runs(measured.baseline))) &&
         known(quantity_of(statistics::estimate_over_runs(measured.scaled))) &&
         known(quantity_of(measured.pairs, kRanks));
}

// Blocks until both points and the efficiency are known to 1 %.
Measured measure_until_sure(SweepModel& sweep) {
  Measured measured;
  do {
    add(measured, sweep.next_block());
  } while (!is_sure(measured) && measured.baseline.size() < kMostRepetitions);
  return measured;
}

}  // namespace

void coverage_section(const Study& study) {
  std::uint64_t number = 0;
  each_scenario(study.every_scenario, [&](const Scenario& scenario) {
    if (!is_mine(study, ++number)) return;
    Random random = random_for(study.seed, number);
    Counts counts;
    for (int trial = 0; trial < study.trials; ++trial) {
      SweepModel sweep(scenario, random, DriftShape::kLinear);
      Measured measured;
      for (std::size_t k = 0; k < kRepetitions; ++k) {
        const Block block = sweep.next_block();
        if (k == 0) count_within_run(counts, scenario, block.baseline);
        add(measured, block);
      }
      count_intervals(counts, measured, sweep);
      count_drift(counts, scenario, measured);
    }
    print_scenario("coverage", scenario, study.trials, counts);
  });
}

void stop_rule_section(const Study& study) {
  std::uint64_t number = 1'000'000;
  each_scenario(false, [&](const Scenario& scenario) {
    if (!is_mine(study, ++number)) return;
    Random random = random_for(study.seed, number);
    Counts counts;
    for (int trial = 0; trial < study.trials; ++trial) {
      SweepModel sweep(scenario, random, DriftShape::kSaturating);
      const Measured measured = measure_until_sure(sweep);
      count_intervals(counts, measured, sweep);
    }
    print_scenario("stop_rule", scenario, study.trials, counts);
  });
}

}  // namespace scalemark::trials::coverage
