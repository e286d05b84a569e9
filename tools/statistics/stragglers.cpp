// A slow rank among even ones: is it named, and is anybody else?
#include <cstdio>
#include <vector>

#include "core/statistics/straggler.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::stragglers {
namespace {

constexpr std::size_t kRuns = 5;

struct Setup {
  std::size_t ranks;
  double slower;        // rank 1, relative
  double between_runs;  // standard deviation of a rank from run to run
};

std::vector<std::vector<double>> simulate(Random& random, const Setup& setup) {
  std::vector<std::vector<double>> runs(kRuns, std::vector<double>(setup.ranks));
  for (auto& run : runs) {
    for (std::size_t r = 0; r < setup.ranks; ++r) {
      run[r] = (r == 1 ? setup.slower : 0) + setup.between_runs * normal(random);
    }
  }
  return runs;
}

}  // namespace

void straggler_section(const Study& study) {
  std::uint64_t number = 4'000'000;
  for (const std::size_t ranks : {2, 4, 8, 16}) {
    for (const double slower : {0.0, 0.02, 0.05, 0.1}) {
      for (const double between_runs : {0.005, 0.01, 0.02}) {
        if (!is_mine(study, ++number)) continue;
        Random random = random_for(study.seed, number);
        int found = 0, accused = 0;
        for (int trial = 0; trial < study.trials; ++trial) {
          const auto answers =
              statistics::judge_ranks(simulate(random, {ranks, slower, between_runs}));
          bool other = false;
          for (std::size_t r = 0; r < ranks; ++r) {
            const auto verdict = answers[r].verdict;
            const bool named = verdict == statistics::RankVerdict::kSlower ||
                               verdict == statistics::RankVerdict::kStraggler;
            (r == 1 ? found : accused) += r == 1 && named;
            other |= r != 1 && named;
          }
          accused += other;
        }
        const double n = study.trials;
        std::printf(
            "{\"section\": \"straggler\", \"ranks\": %zu, \"slower\": %g, \"between_runs\": %g, "
            "\"trials\": %d, \"found\": %.5f, \"others_named\": %.5f}\n",
            ranks, slower, between_runs, study.trials, found / n, accused / n);
      }
    }
  }
}

}  // namespace scalemark::trials::stragglers
