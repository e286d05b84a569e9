// Judges the effects of options in a sweep of one axis: how often do intervals hold the planted
// effect, is an effect called real that is none, and is one found? The same is asked where --tune
// drops values.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <vector>

#include "core/plan/enough.h"
#include "core/statistics/compare.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::effects {
namespace {

constexpr double kRate = 100, kSession = 0.02, kDrift = 0.01;

// A sweep over the values of one axis: each block runs each value once, in an order of its own.
struct Axis {
  std::vector<double> effects;  // ln of each value's rate against the first's; the first is 0
  std::size_t blocks = 5;
  double run = 0.01;  // standard deviation between runs

  double steps() const { return static_cast<double>(blocks * effects.size()); }
};

// ln of a block's rates, as far as they are relevant: the session's and the machine's part is in
// all of them, drift in those that come later.
std::vector<double> simulate_block(Random& random, const Axis& axis, std::size_t block,
                                   double session) {
  std::vector<double> ln_rates(axis.effects.size());
  const auto order = random_order(random, axis.effects.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto at = static_cast<double>(block * axis.effects.size() + i);
    ln_rates[order[i]] = std::log(kRate) + axis.effects[order[i]] + session -
                         kDrift * at / axis.steps() + axis.run * normal(random);
  }
  return ln_rates;
}

// ln(X / X0) of each value but the first.
std::vector<std::vector<double>> log_ratios(Random& random, const Axis& axis) {
  const double session = kSession * normal(random);
  std::vector<std::vector<double>> ratios(axis.effects.size() - 1);
  for (std::size_t block = 0; block < axis.blocks; ++block) {
    const auto rates = simulate_block(random, axis, block, session);
    for (std::size_t i = 1; i < rates.size(); ++i) ratios[i - 1].push_back(rates[i] - rates[0]);
  }
  return ratios;
}

struct Counts {
  int covered = 0, any_false_real = 0, real = 0, none = 0, judged = 0;
};

bool holds(const statistics::Effect& effect, double ln_truth) {
  const double truth = std::exp(ln_truth);
  return effect.ratio_ci95 && effect.ratio_ci95->low <= truth && truth <= effect.ratio_ci95->high;
}

Counts count(const Study& study, Random& random, const Axis& axis) {
  using enum statistics::EffectVerdict;
  Counts counts;
  for (int trial = 0; trial < study.trials; ++trial) {
    const auto effects = statistics::judge_effects(log_ratios(random, axis));
    bool false_real = false;
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const double truth = axis.effects[i + 1];
      ++counts.judged;
      counts.covered += holds(effects[i], truth);
      counts.real += effects[i].verdict == kReal;
      counts.none += effects[i].verdict == kNone;
      false_real = false_real || (truth == 0 && effects[i].verdict == kReal);
    }
    counts.any_false_real += false_real;
  }
  return counts;
}

// `found`, `none`: of all comparisons. They are alike in all scenarios: every value but the first
// has the same effect.
void print(const Study& study, const Axis& axis, const Counts& counts) {
  const double n = study.trials, judged = counts.judged;
  std::printf(
      "{\"section\": \"effects\", \"effect\": %g, \"values\": %zu, \"blocks\": %zu, "
      "\"run_cv\": %g, \"trials\": %d, \"covered\": %.5f, \"any_false_real\": %.5f, "
      "\"real\": %.5f, \"none\": %.5f}\n",
      std::expm1(axis.effects.back()), axis.effects.size(), axis.blocks, axis.run, study.trials,
      counts.covered / judged, counts.any_false_real / n, counts.real / judged,
      counts.none / judged);
}

// A plan of one comparison on as many points as there are values.
planning::Plan plan_of(const Axis& axis) {
  planning::Plan plan;
  plan.sweep.tune = "bucket_cap_mb";
  plan.stop.least_blocks = static_cast<int>(axis.blocks);
  plan.comparisons = {{.axis = plan.sweep.tune, .fixed = {}, .values = {}}};
  for (std::size_t i = 0; i < axis.effects.size(); ++i) {
    plan.comparisons.front().values.push_back({std::to_string(i), i});
  }
  return plan;
}

struct Search {
  bool lost_the_best = false, stopped_early = false;
  std::size_t runs = 0;
  std::vector<statistics::Effect> effects;
};

// One search: which runs it spends, and what is then said of each value.
Search search(Random& random, const Axis& axis, std::size_t best) {
  const planning::Plan plan = plan_of(axis);
  planning::Tuner tuner(plan);
  std::vector<std::vector<double>> ratios(axis.effects.size() - 1);
  const double session = kSession * normal(random);
  Search result;
  for (std::size_t block = 0; block < axis.blocks; ++block) {
    const int number = static_cast<int>(block);
    if (tuner.decided_before(number)) {
      result.stopped_early = true;
      break;
    }
    const auto dropped = tuner.dropped_before(number);
    result.lost_the_best = result.lost_the_best || dropped.contains(best);
    const auto rates = simulate_block(random, axis, block, session);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (dropped.contains(i)) continue;
      ++result.runs;
      tuner.add(i, number, 0, std::exp(rates[i]));
      if (i > 0) ratios[i - 1].push_back(rates[i] - rates[0]);
    }
  }
  result.effects = statistics::judge_effects(ratios);
  return result;
}

// `all` and `dropped` count the intervals that hold the effect, among `of_all` values and among the
// `of_dropped` that were dropped.
struct Coverage {
  int all = 0, of_all = 0, dropped = 0, of_dropped = 0;
};

void add(Coverage& coverage, const Search& one, const Axis& axis) {
  std::size_t most = 0;
  for (const auto& effect : one.effects) most = std::max(most, effect.pairs);
  for (std::size_t i = 0; i < one.effects.size(); ++i) {
    const bool held = holds(one.effects[i], axis.effects[i + 1]);
    coverage.all += held;
    ++coverage.of_all;
    if (one.effects[i].pairs == most) continue;
    coverage.dropped += held;
    ++coverage.of_dropped;
  }
}

void tuning_scenario(const Study& study, Random& random, const char* name, const Axis& axis,
                     std::size_t best) {
  int lost = 0, early = 0;
  double runs = 0;
  Coverage coverage;
  for (int trial = 0; trial < study.trials; ++trial) {
    const Search one = search(random, axis, best);
    lost += one.lost_the_best;
    early += one.stopped_early;
    runs += static_cast<double>(one.runs) / axis.steps();
    add(coverage, one, axis);
  }
  const double n = study.trials;
  std::printf(
      "{\"section\": \"tuning\", \"planted\": \"%s\", \"blocks\": %zu, \"run_cv\": %g, "
      "\"trials\": %d, \"best_dropped\": %.5f, \"early\": %.5f, \"share_of_runs\": %.5f, "
      "\"covered\": %.5f, \"dropped_share\": %.5f, \"covered_dropped\": %.5f}\n",
      name, axis.blocks, axis.run, study.trials, lost / n, early / n, runs / n,
      coverage.all / static_cast<double>(coverage.of_all),
      coverage.of_dropped / static_cast<double>(coverage.of_all),
      coverage.of_dropped ? coverage.dropped / static_cast<double>(coverage.of_dropped) : 1.0);
}

}  // namespace

void effects_section(const Study& study) {
  std::uint64_t number = 10'000'000;
  for (const std::size_t blocks : {std::size_t{3}, std::size_t{5}, std::size_t{10}}) {
    for (const double run : {0.003, 0.01, 0.02}) {
      for (const double effect : {0.0, 0.03, 0.05, 0.1}) {
        for (const std::size_t values : {std::size_t{2}, std::size_t{7}}) {
          if (!is_mine(study, ++number)) continue;
          Random random = random_for(study.seed, number);
          Axis axis{.effects = std::vector<double>(values, std::log1p(effect)),
                    .blocks = blocks,
                    .run = run};
          axis.effects.front() = 0;
          print(study, axis, count(study, random, axis));
        }
      }
    }
  }
}

void tuning_section(const Study& study) {
  std::uint64_t number = 11'000'000;
  struct Planted {
    const char* name;
    std::vector<double> effects;
    std::size_t best;
  };
  const std::vector<Planted> all = {{"all alike", std::vector<double>(7, 0.0), 3},
                                    {"one 10 % faster", {0, 0, 0, 0.095, 0, 0, 0}, 3},
                                    {"one 1 % faster", {0, 0, 0, 0.01, 0, 0, 0}, 3},
                                    {"steps of 5 %", {0, 0.05, 0.1, 0.15, -0.05, -0.1, -0.15}, 3}};
  for (const std::size_t blocks : {std::size_t{5}, std::size_t{10}}) {
    for (const double run : {0.003, 0.01}) {
      for (const Planted& planted : all) {
        if (!is_mine(study, ++number)) continue;
        Random random = random_for(study.seed, number);
        const Axis axis{.effects = planted.effects, .blocks = blocks, .run = run};
        tuning_scenario(study, random, planted.name, axis, planted.best);
      }
    }
  }
}

}  // namespace scalemark::trials::effects
