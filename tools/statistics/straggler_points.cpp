// Healthy devices that differ for good, at twelve points of a sweep: is anybody named? And is a
// slow one, in every run or in two of five?
#include <cstdio>
#include <vector>

#include "core/statistics/straggler.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::straggler_points {
namespace {

using statistics::RankVerdict;

constexpr std::size_t kRanks = 8, kPoints = 12, kRuns = 5, kSlowRuns = 2;
constexpr double kBetweenRuns = 0.005, kSlower = 0.15;

enum class Planted { kNobody, kSlow, kSometimesSlow };

struct Setup {
  double spread;        // standard deviation of devices
  bool new_each_point;  // they differ anew at each point; else a device is the same everywhere
  bool spread_given;    // --device-spread
  Planted planted;      // rank 1 of every point
};

std::vector<double> devices(Random& random, double spread) {
  std::vector<double> ln_own(kRanks);
  for (double& device : ln_own) device = spread * normal(random);
  return ln_own;
}

statistics::RunsOfRanks point_of(Random& random, const std::vector<double>& device,
                                 Planted planted) {
  const auto slow_first = random_order(random, kRuns);
  statistics::RunsOfRanks runs;
  for (std::size_t k = 0; k < kRuns; ++k) {
    auto& run = runs.emplace_back(device);
    for (double& own : run) own += kBetweenRuns * normal(random);
    const bool sometimes = planted == Planted::kSometimesSlow && slow_first[k] < kSlowRuns;
    if (planted == Planted::kSlow || sometimes) run[1] += kSlower;
  }
  return runs;
}

struct Seen {
  bool healthy_named = false, healthy_intermittent = false;
  int found =
      0;  // points at which rank 1 was named; where it is slow in some runs, or intermittent
};

Seen count_found(const std::vector<std::vector<statistics::RankDelay>>& points, Planted planted) {
  Seen seen;
  for (const auto& point : points) {
    for (std::size_t r = 0; r < point.size(); ++r) {
      const auto verdict = point[r].verdict;
      const bool named = verdict == RankVerdict::kStraggler;
      const bool sometimes = verdict == RankVerdict::kIntermittent;
      if (planted != Planted::kNobody && r == 1) {
        seen.found += named || (sometimes && planted == Planted::kSometimesSlow);
      } else {
        seen.healthy_named |= named;
        seen.healthy_intermittent |= sometimes;
      }
    }
  }
  return seen;
}

Seen one_sweep(Random& random, const Setup& setup) {
  auto device = devices(random, setup.spread);
  std::vector<statistics::RunsOfRanks> points;
  for (std::size_t p = 0; p < kPoints; ++p) {
    if (setup.new_each_point) device = devices(random, setup.spread);
    points.push_back(point_of(random, device, setup.planted));
  }
  const double given = setup.spread_given ? setup.spread : 0;
  return count_found(statistics::judge_ranks_of_points(points, given), setup.planted);
}

const char* name_of(Planted planted) {
  return planted == Planted::kNobody ? "nobody"
         : planted == Planted::kSlow ? "every run"
                                     : "2 of 5 runs";
}

void print_scenario(Random& random, const Setup& setup, int trials) {
  int named = 0, intermittent = 0;
  double found = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Seen seen = one_sweep(random, setup);
    named += seen.healthy_named;
    intermittent += seen.healthy_intermittent;
    found += static_cast<double>(seen.found) / kPoints;
  }
  std::printf(
      "{\"section\": \"straggler_points\", \"device_spread\": %g, \"new_each_point\": %s, "
      "\"spread_given\": %s, \"planted\": \"%s\", \"trials\": %d, \"named\": %.5f, "
      "\"intermittent\": %.5f, \"found\": %.5f}\n",
      setup.spread, setup.new_each_point ? "true" : "false", setup.spread_given ? "true" : "false",
      name_of(setup.planted), trials, static_cast<double>(named) / trials,
      static_cast<double>(intermittent) / trials, found / trials);
}

}  // namespace

void straggler_points_section(const Study& study) {
  std::uint64_t number = 7'000'000;
  for (const double spread : {0.0, 0.005, 0.01, 0.015, 0.02}) {
    for (const bool new_each_point : {false, true}) {
      for (const bool given : {false, true}) {
        for (const Planted planted : {Planted::kNobody, Planted::kSlow, Planted::kSometimesSlow}) {
          if (!is_mine(study, ++number)) continue;
          Random random = random_for(study.seed, number);
          print_scenario(random, {spread, new_each_point, given, planted}, study.trials);
        }
      }
    }
  }
}

}  // namespace scalemark::trials::straggler_points
