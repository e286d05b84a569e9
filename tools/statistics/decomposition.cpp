// Do the shares of lost efficiency add up to 1 - E, for any step times?
#include <algorithm>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/efficiency.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::decomposition {
namespace {

constexpr double kBatch = 32;

struct Setup {
  statistics::Scaling scaling;
  int ranks;
  double lost;  // scale of every term, relative to the step
  std::size_t blocks;
};

// Ordered as in any run: mean own <= largest mean <= mean of the largest <= step.
statistics::StepTimes random_run(Random& random, double ideal_s, double lost) {
  boost::random::uniform_01<double> chance;
  const auto part = [&](Random& from) { return lost * chance(from); };
  statistics::StepTimes run;
  run.own_mean_s = ideal_s * (1 + part(random)) / (1 + lost / 3);
  run.own_max_of_rank_means_s = run.own_mean_s + ideal_s * part(random);
  run.own_mean_of_step_max_s = run.own_max_of_rank_means_s + ideal_s * part(random);
  run.step_s = *run.own_mean_of_step_max_s + ideal_s * part(random);
  run.data_wait_s = run.own_mean_s * part(random) / (1 + lost);
  return run;
}

struct Trial {
  double from_steps = 0;  // |sum of shares - (1 - E)|, E from the same step times
  double from_rates = 0;  // the same, E from paired_efficiency() of samples_per_sec
};

Trial one_trial(Random& random, const Setup& setup) {
  const bool weak = setup.scaling == statistics::Scaling::kWeak;
  std::vector<statistics::StepTimesPair> pairs;
  std::vector<statistics::ThroughputPair> rates;
  double ln_e = 0;
  for (std::size_t k = 0; k < setup.blocks; ++k) {
    statistics::StepTimes baseline = random_run(random, 0.1, setup.lost / 10);
    const double ideal_s = weak ? baseline.step_s : baseline.step_s / setup.ranks;
    const auto scaled = random_run(random, ideal_s, setup.lost);
    pairs.push_back({baseline, scaled});
    rates.push_back(
        {kBatch / baseline.step_s, (weak ? kBatch * setup.ranks : kBatch) / scaled.step_s});
    ln_e += std::log(ideal_s / scaled.step_s) / static_cast<double>(setup.blocks);
  }
  const double sum = statistics::shares_of_lost_efficiency(pairs, setup.scaling, setup.ranks).sum();
  return {std::abs(sum + std::expm1(ln_e)),
          std::abs(sum - (1 - statistics::paired_efficiency(rates, setup.ranks).efficiency))};
}

}  // namespace

void decomposition_section(const Study& study) {
  using statistics::Scaling;
  std::uint64_t number = 5'000'000;
  for (const Scaling scaling : {Scaling::kWeak, Scaling::kStrong}) {
    for (const int ranks : {2, 8, 1024}) {
      for (const double lost : {0.0, 1e-9, 0.01, 0.3, 5.0}) {
        for (const std::size_t blocks : {1, 5, 50}) {
          if (!is_mine(study, ++number)) continue;
          Random random = random_for(study.seed, number);
          Trial worst;
          for (int trial = 0; trial < study.trials; ++trial) {
            const Trial one = one_trial(random, {scaling, ranks, lost, blocks});
            worst.from_steps = std::max(worst.from_steps, one.from_steps);
            worst.from_rates = std::max(worst.from_rates, one.from_rates);
          }
          std::printf(
              "{\"section\": \"decomposition\", \"scaling\": \"%s\", \"ranks\": %d, \"lost\": %g, "
              "\"blocks\": %zu, \"trials\": %d, \"worst\": %.3g, \"worst_from_rates\": %.3g}\n",
              scaling == Scaling::kWeak ? "weak" : "strong", ranks, lost, blocks, study.trials,
              worst.from_steps, worst.from_rates);
        }
      }
    }
  }
}

}  // namespace scalemark::trials::decomposition
