// Answers questions of oracle_test.py with the library's functions. A line is a question, its
// numbers and `|` between series: "welch 1 2 3 | 2 3 4"; so is its answer.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/statistics/compare.h"
#include "core/statistics/drift.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/run_correlation.h"
#include "core/statistics/runs.h"
#include "core/statistics/straggler.h"
#include "core/statistics/welch.h"

namespace {

namespace statistics = scalemark::statistics;
using Series = std::vector<std::vector<double>>;

Series read_series(std::istream& words) {
  Series series(1);
  for (std::string word; words >> word;) {
    if (word == "|") {
      series.emplace_back();
    } else {
      series.back().push_back(std::stod(word));
    }
  }
  return series;
}

std::vector<double> runs(const Series& s) {
  const auto estimate = statistics::estimate_over_runs(s.at(0));
  return {estimate.value, estimate.ci95->low, estimate.ci95->high, *estimate.cv_between};
}

std::vector<double> efficiency(const Series& s) {
  std::vector<statistics::ThroughputPair> pairs;
  for (std::size_t k = 0; k < s.at(0).size(); ++k) pairs.push_back({s[0][k], s.at(1).at(k)});
  const auto result = statistics::paired_efficiency(pairs, 4);
  return {result.efficiency, result.efficiency_ci95->low, result.efficiency_ci95->high};
}

std::vector<double> welch(const Series& s) {
  const auto test = statistics::welch_test(s.at(0), s.at(1));
  const auto ci90 = test.interval(0.90);
  return {test.difference, test.degrees, test.p, ci90.low, ci90.high};
}

// before | after of one point after another: smallest_found of each.
std::vector<double> smallest_found(const Series& s) {
  std::vector<statistics::PointSides> points;
  for (std::size_t i = 0; i + 1 < s.size(); i += 2) points.push_back({s[i], s[i + 1]});
  std::vector<double> answers;
  for (const auto& change :
       statistics::compare_points(points, statistics::ComparedUnit::kSession)) {
    answers.push_back(change.smallest_found.value());
  }
  return answers;
}

// point | time | rate
std::vector<double> drift(const Series& s) {
  std::vector<statistics::TimedRun> measured;
  for (std::size_t i = 0; i < s.at(0).size(); ++i) {
    measured.push_back({static_cast<std::size_t>(s[0][i]), s.at(1).at(i), s.at(2).at(i)});
  }
  const auto found = statistics::estimate_drift(measured).value();
  return {found.per_sweep, found.ci95.low, found.ci95.high};
}

std::vector<double> bound(const Series& s) {
  return {statistics::mean_lower_bound(s.at(0)).value()};
}

std::vector<double> sessions(const Series& s) {
  const auto estimate = statistics::estimate_over_sessions(s);
  return {estimate.value, estimate.ci95->low, estimate.ci95->high};
}

// point | time | rate
std::vector<double> correlation(const Series& s) {
  std::vector<statistics::TimedRun> measured;
  for (std::size_t i = 0; i < s.at(0).size(); ++i) {
    measured.push_back({static_cast<std::size_t>(s[0][i]), s.at(1).at(i), s.at(2).at(i)});
  }
  const auto found = statistics::correlation_of_runs(measured).value();
  return {found.lag1, found.significant ? 1.0 : 0.0};
}

// places | lag1
std::vector<double> growth(const Series& s) {
  return {statistics::interval_growth(s.at(0), s.at(1).at(0)).value()};
}

// device spread | run | run | ...: of each rank D, p
std::vector<double> ranks(const Series& s) {
  std::vector<double> values;
  for (const auto& rank : statistics::judge_ranks({s.begin() + 1, s.end()}, s.at(0).at(0))) {
    values.insert(values.end(), {rank.slower_by, rank.p});
  }
  return values;
}

std::vector<double> answer(const std::string& question, const Series& series) {
  if (question == "runs") return runs(series);
  if (question == "efficiency") return efficiency(series);
  if (question == "welch") return welch(series);
  if (question == "smallest_found") return smallest_found(series);
  if (question == "holm") return statistics::holm_adjusted(series.at(0));
  if (question == "drift") return drift(series);
  if (question == "bound") return bound(series);
  if (question == "sessions") return sessions(series);
  if (question == "correlation") return correlation(series);
  if (question == "growth") return growth(series);
  if (question == "ranks") return ranks(series);
  throw std::invalid_argument("unknown question " + question);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string question;
    words >> question;
    for (const double value : answer(question, read_series(words))) std::printf("%.17g ", value);
    std::printf("\n");
  }
}
