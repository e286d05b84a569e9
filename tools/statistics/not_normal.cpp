// Runs that are not normal: is that seen, and how often is it said of normal ones? Points in
// blocks, each run with a level of its own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "tools/statistics/run_kinds.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::not_normal {
namespace {

constexpr double kLevel = 0.01;

struct Setup {
  RunKind kind;
  std::size_t points, blocks;
};

struct NormalityVerdict {
  bool not_normal = false, correlated = false;
};

NormalityVerdict simulate(Random& random, const Setup& setup) {
  RunModel model(random, setup.kind);
  std::vector<std::vector<double>> groups(setup.points);
  std::vector<statistics::TimedRun> runs;
  for (std::size_t k = 0; k < setup.blocks; ++k) {
    model.begin_block();
    for (const std::size_t point : random_order(random, setup.points)) {
      const double level = model.next();
      groups[point].push_back(level);
      runs.push_back({point, static_cast<double>(runs.size()), std::exp(level)});
    }
  }
  const auto correlation = statistics::correlation_of_runs(runs);
  const auto normality = statistics::check_normality(groups);
  return {.not_normal = normality && normality->p <= kLevel,
          .correlated = correlation && correlation->significant};
}

void print_scenario(Random& random, const Setup& setup, int trials) {
  int claimed = 0, correlated = 0, said = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const NormalityVerdict verdict = simulate(random, setup);
    claimed += verdict.not_normal;
    correlated += verdict.correlated;
    said += verdict.not_normal && !verdict.correlated;
  }
  const double n = trials;
  std::printf(
      "{\"section\": \"not_normal\", \"kind\": \"%s\", \"points\": %zu, \"blocks\": %zu, "
      "\"trials\": %d, \"claimed\": %.5f, \"correlated\": %.5f, \"said\": %.5f}\n",
      name_of(setup.kind), setup.points, setup.blocks, trials, claimed / n, correlated / n,
      said / n);
  std::fflush(stdout);
}

}  // namespace

void not_normal_section(const Study& study) {
  std::uint64_t number = 11'000'000;
  for (const RunKind kind : kAllRunKinds) {
    for (const auto& [points, blocks] :
         {std::pair<std::size_t, std::size_t>{1, 10}, {4, 5}, {12, 5}, {4, 20}}) {
      if (!is_mine(study, ++number)) continue;
      Random random = random_for(study.seed, number);
      print_scenario(random, {kind, points, blocks}, study.trials);
    }
  }
}

}  // namespace scalemark::trials::not_normal
