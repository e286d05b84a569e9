// Twelve points: how often is one that is as fast as the others told apart from the largest, and is
// one that is faster told apart from them?
#include "core/statistics/fastest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::fastest {
namespace {

constexpr std::size_t kPoints = 12;
constexpr double kRate = 100;

// How many of the others Holm's procedure tells apart from the largest, as if it had been named
// before the runs.
std::size_t slower_by_holm(const std::vector<std::vector<double>>& points, std::size_t best) {
  std::vector<double> p;
  const auto of_best = statistics::logarithms(points[best]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i != best)
      p.push_back(statistics::welch_test(statistics::logarithms(points[i]), of_best).p);
  }
  const auto adjusted = statistics::holm_adjusted(p);
  return static_cast<std::size_t>(
      std::ranges::count_if(adjusted, [](double one) { return one <= 0.05; }));
}

// The first point is faster than the others by `ahead`; where the noise is uneven, every other
// point has a third of it.
void fastest_scenario(const Study& study, std::uint64_t number, std::size_t runs, bool uneven,
                      double ahead) {
  constexpr double kNoise = 0.01;
  Random random = random_for(study.seed, number);
  int told_apart = 0, by_holm = 0, alone = 0, right = 0;
  for (int trial = 0; trial < study.trials; ++trial) {
    std::vector<std::vector<double>> points(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double noise = uneven && i % 2 ? kNoise / 3 : kNoise;
      for (std::size_t k = 0; k < runs; ++k) {
        points[i].push_back(kRate * std::exp((i == 0 ? ahead : 0) + noise * normal(random)));
      }
    }
    const auto found = statistics::fastest_of(points);
    told_apart += found->others.size() + 1 < kPoints;
    by_holm += slower_by_holm(points, found->best) > 0;
    alone += found->others.empty();
    right += found->best == 0;
  }
  const double n = study.trials;
  std::printf(
      "{\"section\": \"fastest\", \"runs\": %zu, \"uneven\": %s, \"ahead\": %g, \"trials\": %d, "
      "\"told_apart\": %.5f, \"by_holm\": %.5f, \"alone\": %.5f, \"right\": %.5f}\n",
      runs, uneven ? "true" : "false", ahead, study.trials, told_apart / n, by_holm / n, alone / n,
      right / n);
}

}  // namespace

void fastest_section(const Study& study) {
  std::uint64_t number = 42'000'000;
  for (const std::size_t runs : {3, 5, 10}) {
    for (const bool uneven : {false, true}) {
      for (const double ahead : {0.0, 0.05}) {
        if (is_mine(study, ++number)) fastest_scenario(study, number, runs, uneven, ahead);
      }
    }
  }
}

}  // namespace scalemark::trials::fastest
