// --until-ci on runs of every kind: how often the intervals hold the truth when it stops, how many
// repetitions it buys, how well it foresaw them, and what the report says of the runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "tools/statistics/run_kinds.h"
#include "tools/statistics/sections.h"
#include "tools/statistics/stop.h"

namespace scalemark::trials::until_sure {
namespace {

constexpr double kHalfWidth = 0.01, kEfficiency = 0.85;
constexpr int kRanks = 8;
constexpr std::size_t kPoints = 4, kMostBlocks = 200, kAgrees = 2;

struct Sweep {
  std::vector<std::vector<double>>
      rates;  // one list per point; point 1 is the baseline's scaled one
  std::vector<statistics::ThroughputPair> pairs;
  std::vector<statistics::TimedRun> runs;
};

void add_block(Sweep& sweep, Random& random, RunModel& model) {
  model.begin_block();
  for (const std::size_t point : random_order(random, kPoints)) {
    const double scale = point == 0 ? 1 : kRanks * kEfficiency;
    const double rate = scale * std::exp(model.next());
    sweep.rates[point].push_back(rate);
    sweep.runs.push_back({point, static_cast<double>(sweep.runs.size()), rate});
  }
  sweep.pairs.push_back({sweep.rates[0].back(), sweep.rates[1].back()});
}

// Widens the interval where runs are correlated, like a report does.
statistics::RunsEstimate throughput_of(const Sweep& sweep,
                                       const statistics::RunCorrelation& correlation) {
  const auto estimate = statistics::estimate_over_runs(sweep.rates[0]);
  if (!correlation.significant) return estimate;
  std::vector<double> places;
  for (const auto& run : sweep.runs) {
    if (run.point == 0) places.push_back(run.at_s);
  }
  return widened(estimate, statistics::interval_growth(places, correlation.lag1));
}

struct Counts {
  int throughput = 0, efficiency = 0, correlated = 0, not_normal = 0, foreseen = 0, asked = 0;
  int never = 0;
  double repetitions = 0;
};

bool holds(const std::optional<statistics::Interval>& interval, double truth) {
  return interval && interval->low <= truth && truth <= interval->high;
}

void count(Counts& counts, Random& random, RunKind kind) {
  RunModel model(random, kind);
  Sweep sweep{.rates = std::vector<std::vector<double>>(kPoints), .pairs = {}, .runs = {}};
  std::optional<std::size_t> foreseen;
  while (sweep.pairs.size() < kMostBlocks) {
    add_block(sweep, random, model);
    if (sweep.pairs.size() < statistics::kRepetitionsBeforeLooking) continue;
    const auto correlation = statistics::correlation_of_runs(sweep.runs).value();
    const auto throughput = quantity_of(throughput_of(sweep, correlation));
    const auto efficiency = quantity_of(sweep.pairs, kRanks);
    if (known_well_enough(throughput, kHalfWidth) && known_well_enough(efficiency, kHalfWidth)) {
      break;
    }
    if (foreseen) continue;
    foreseen = std::max(repetitions_needed(throughput, kHalfWidth).value_or(kMostBlocks),
                        repetitions_needed(efficiency, kHalfWidth).value_or(kMostBlocks));
  }
  const auto correlation = statistics::correlation_of_runs(sweep.runs).value();
  counts.throughput += holds(throughput_of(sweep, correlation).ci95, std::exp(mean_level(kind)));
  counts.efficiency +=
      holds(statistics::paired_efficiency(sweep.pairs, kRanks).efficiency_ci95, kEfficiency);
  counts.correlated += correlation.significant;
  std::vector<std::vector<double>> logs;
  for (const auto& rates : sweep.rates) logs.push_back(statistics::logarithms(rates));
  counts.not_normal += !correlation.significant && statistics::check_normality(logs)->p <= 0.01;
  const std::size_t needed = sweep.pairs.size();
  counts.repetitions += static_cast<double>(needed);
  counts.never += needed >= kMostBlocks;
  if (!foreseen) return;
  ++counts.asked;
  counts.foreseen += *foreseen <= kAgrees * needed && needed <= kAgrees * *foreseen;
}

void print_scenario(Random& random, RunKind kind, int trials) {
  Counts counts;
  for (int trial = 0; trial < trials; ++trial) count(counts, random, kind);
  const double n = trials;
  std::printf(
      "{\"section\": \"until_sure\", \"kind\": \"%s\", \"trials\": %d, \"throughput\": %.5f, "
      "\"efficiency\": %.5f, \"correlated\": %.5f, \"not_normal\": %.5f, \"repetitions\": %.2f, "
      "\"asked\": %.5f, \"foreseen\": %.5f, \"never\": %.5f}\n",
      name_of(kind), trials, counts.throughput / n, counts.efficiency / n, counts.correlated / n,
      counts.not_normal / n, counts.repetitions / n, counts.asked / n,
      counts.asked > 0 ? static_cast<double>(counts.foreseen) / counts.asked : 1, counts.never / n);
  std::fflush(stdout);
}

}  // namespace

void until_sure_section(const Study& study) {
  for_each_of_mine(study, 12'000'000, kAllRunKinds, [&](Random& random, RunKind kind) {
    print_scenario(random, kind, study.trials);
  });
}

}  // namespace scalemark::trials::until_sure
