// Old against new with 12 points: false alarms where nothing changed, and whether one change of 5 %
// is found.
#include <cmath>
#include <cstdio>
#include <string>

#include "core/statistics/compare.h"
#include "tests/core/statistics/trials/generator.h"
#include "tests/core/statistics/trials/sections.h"

namespace scalemark::trials {
namespace {

constexpr std::size_t kPoints = 12;
constexpr std::size_t kRuns = 5;
constexpr double kRunCv = 0.01;
constexpr double kSessionCv = 0.003;

struct Setup {
  std::string name;
  bool session_per_point;  // a session shifts every point on its own, or all alike
  std::size_t sessions;    // files per side
  double change;           // of the first point, relative
};

std::vector<double> side(Random& random, double rate, const Setup& setup,
                         const std::vector<double>& common_shift) {
  std::vector<double> units;
  for (std::size_t s = 0; s < setup.sessions; ++s) {
    const double shift = setup.session_per_point ? kSessionCv * normal(random) : common_shift[s];
    double sum = 0;
    for (std::size_t k = 0; k < kRuns; ++k) {
      const double ln_rate = std::log(rate) + shift + kRunCv * normal(random);
      sum += ln_rate / static_cast<double>(kRuns);
      if (setup.sessions == 1) units.push_back(std::exp(ln_rate));
    }
    if (setup.sessions > 1) units.push_back(std::exp(sum));
  }
  return units;
}

std::vector<double> session_shifts(Random& random, std::size_t sessions) {
  std::vector<double> shifts;
  for (std::size_t s = 0; s < sessions; ++s) shifts.push_back(kSessionCv * normal(random));
  return shifts;
}

std::vector<statistics::PointSides> simulate(Random& random, const Setup& setup) {
  const auto before = session_shifts(random, setup.sessions);
  const auto after = session_shifts(random, setup.sessions);
  std::vector<statistics::PointSides> points;
  for (std::size_t p = 0; p < kPoints; ++p) {
    const double rate = 100 * static_cast<double>(p + 1);
    const double changed = p == 0 ? rate * (1 + setup.change) : rate;
    points.push_back({side(random, rate, setup, before), side(random, changed, setup, after)});
  }
  return points;
}

}  // namespace

void comparison_section(const Study& study) {
  using statistics::Change;
  std::uint64_t number = 2'000'000;
  for (const bool per_point : {false, true}) {
    for (const std::size_t sessions : {1, 5}) {
      for (const double change : {0.0, -0.05, 0.05}) {
        if (!is_mine(study, ++number)) continue;
        Random random = random_for(study.seed, number);
        const Setup setup{"", per_point, sessions, change};
        int alarms = 0, found = 0, same = 0, unsure = 0;
        for (int trial = 0; trial < study.trials; ++trial) {
          const auto changes = statistics::compare_points(simulate(random, setup));
          bool alarm = false;
          for (std::size_t p = change == 0 ? 0 : 1; p < kPoints; ++p) {
            alarm |= changes[p].change == Change::kSlower || changes[p].change == Change::kFaster;
            same += changes[p].change == Change::kSame;
            unsure += changes[p].change == Change::kUnsure;
          }
          alarms += alarm;
          found += changes[0].change == (change < 0 ? Change::kSlower : Change::kFaster);
        }
        const double n = study.trials, unchanged = n * (change == 0 ? kPoints : kPoints - 1);
        std::printf(
            "{\"section\": \"compare\", \"session_per_point\": %s, \"sessions\": %zu, "
            "\"change\": %g, \"trials\": %d, \"false_alarms\": %.5f, \"found\": %.5f, "
            "\"same\": %.5f, \"unsure\": %.5f}\n",
            per_point ? "true" : "false", sessions, change, study.trials, alarms / n,
            change == 0 ? 0 : found / n, same / unchanged, unsure / unchanged);
      }
    }
  }
}

}  // namespace scalemark::trials
