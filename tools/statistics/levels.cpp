// Twelve points whose runs have one level, or two: how often is "two levels" said, and how often
// could it not be, since no slow run is among the repetitions? And how often does the interval hold
// the mean of both levels?
#include <algorithm>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::levels {
namespace {

constexpr std::size_t kPoints = 12;
constexpr double kRate = 100;

struct Scenario {
  const char* kind;  // "one level" | "heavy tails" | "two levels"
  std::size_t runs;
  double noise;                   // standard deviation of runs on a level
  double slow_by = 0, share = 0;  // the lower level has this share of the runs
};

// The rule that the gaps alone give: the largest above 5 times the median of the others.
bool stands_out_by_gaps(std::vector<double> rates) {
  std::ranges::sort(rates);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < rates.size(); ++i) gaps.push_back(std::log(rates[i] / rates[i - 1]));
  std::ranges::sort(gaps);
  const double largest = gaps.back();
  gaps.pop_back();
  const double median = (gaps[(gaps.size() - 1) / 2] + gaps[gaps.size() / 2]) / 2;
  return largest > 5 * median && largest > statistics::kGapThatCounts;
}

class Points {
 public:
  Points(const Scenario& scenario, Random& random) : scenario_(scenario), random_(random) {}

  std::vector<double> runs() {
    std::vector<double> rates;
    slow_ = 0;
    for (std::size_t k = 0; k < scenario_.runs; ++k) {
      const bool is_slow = uniform_(random_) < scenario_.share;
      slow_ += is_slow;
      rates.push_back(kRate * std::exp(scenario_.noise * noise()) *
                      (is_slow ? 1 - scenario_.slow_by : 1));
    }
    return rates;
  }
  std::size_t slow() const { return slow_; }  // among the last runs

 private:
  double noise() {
    return scenario_.kind[0] == 'h' ? heavy_(random_) / std::sqrt(3.0) : normal(random_);
  }

  const Scenario& scenario_;
  Random& random_;
  boost::random::uniform_01<double> uniform_;
  boost::random::student_t_distribution<double> heavy_{3};  // its variance is 3
  std::size_t slow_ = 0;
};

struct Counts {
  double any = 0, called = 0, any_by_gaps = 0, by_gaps = 0;                   // sweeps, points
  double visible = 0, found = 0, found_by_gaps = 0, unseen = 0, covered = 0;  // points
};

// Whether the interval over the runs holds exp of the mean ln of both levels.
bool holds(const std::vector<double>& rates, const Scenario& scenario) {
  const double truth = kRate * std::exp(scenario.share * std::log1p(-scenario.slow_by));
  const auto interval = statistics::estimate_over_runs(rates).ci95.value();
  return interval.low <= truth && truth <= interval.high;
}

void simulate(Points& points, const Scenario& scenario, Counts& counts) {
  std::vector<std::vector<double>> series;
  std::vector<std::size_t> slow;
  for (std::size_t i = 0; i < kPoints; ++i) {
    series.push_back(points.runs());
    slow.push_back(points.slow());
  }
  const auto judged = statistics::judge_levels(series);
  bool any = false, any_by_gaps = false;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const bool two = judged[i]->two, by_gaps = stands_out_by_gaps(series[i]);
    const bool visible = slow[i] > 0 && slow[i] < scenario.runs;
    any = any || two;
    any_by_gaps = any_by_gaps || by_gaps;
    counts.called += two;
    counts.by_gaps += by_gaps;
    counts.visible += visible;
    counts.found += visible && two;
    counts.found_by_gaps += visible && by_gaps;
    counts.unseen += slow[i] == 0;
    counts.covered += holds(series[i], scenario);
  }
  counts.any += any;
  counts.any_by_gaps += any_by_gaps;
}

void print(const Scenario& s, const Counts& c, int trials) {
  const double sweeps = trials, points = sweeps * static_cast<double>(kPoints);
  const double visible = std::max(1.0, c.visible);
  std::printf(
      "{\"section\": \"levels\", \"kind\": \"%s\", \"runs\": %zu, \"noise\": %g, \"slow_by\": %g, "
      "\"share\": %g, \"trials\": %d, \"any\": %.5f, \"called\": %.5f, \"any_by_gaps\": %.5f, "
      "\"by_gaps\": %.5f, \"found\": %.5f, \"found_by_gaps\": %.5f, \"unseen\": %.5f, "
      "\"covered\": %.5f}\n",
      s.kind, s.runs, s.noise, s.slow_by, s.share, trials, c.any / sweeps, c.called / points,
      c.any_by_gaps / sweeps, c.by_gaps / points, c.found / visible, c.found_by_gaps / visible,
      c.unseen / points, c.covered / points);
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const std::size_t runs : {3, 5, 10, 20}) {
    for (const double noise : {0.003, 0.01, 0.02}) all.push_back({"one level", runs, noise});
    all.push_back({"heavy tails", runs, 0.01});
  }
  for (const std::size_t runs : {5, 10, 20}) {
    all.push_back({"two levels", runs, 0.003, 0.05, 0.1});
    all.push_back({"two levels", runs, 0.003, 0.1, 0.05});
  }
  return all;
}

}  // namespace

void levels_section(const Study& study) {
  for_each_of_mine(study, 41'000'000, scenarios(), [&](Random& random, const Scenario& scenario) {
    Points points(scenario, random);
    Counts counts;
    for (int trial = 0; trial < study.trials; ++trial) simulate(points, scenario, counts);
    print(scenario, counts, study.trials);
  });
}

}  // namespace scalemark::trials::levels
