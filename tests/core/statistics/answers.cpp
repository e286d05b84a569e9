// Answers questions of oracle_test.py with the library's functions. A line is a question, its
// numbers and `|` between series: "welch 1 2 3 | 2 3 4"; so is its answer.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/statistics/acceptance.h"
#include "core/statistics/acceptance_baseline.h"
#include "core/statistics/compare.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/fastest.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "core/statistics/steadiness/change_point.h"
#include "core/statistics/steadiness/steady.h"
#include "core/statistics/straggler.h"
#include "core/statistics/summary.h"
#include "core/statistics/variance_split.h"
#include "tools/programs/commands.h"

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

// log ratios of each comparison: of each ratio, interval, p, and the verdict's number
std::vector<double> effects(const Series& s) {
  std::vector<double> values;
  for (const auto& effect : statistics::judge_effects(s)) {
    values.insert(values.end(), {effect.ratio, effect.ratio_ci95->low, effect.ratio_ci95->high,
                                 effect.p_holm.value(), static_cast<double>(effect.verdict)});
  }
  return values;
}

double code_of(const std::optional<bool>& verdict) { return verdict ? *verdict : -1; }

// Answers for a window: bias and standard error of each decay, independent values.
std::vector<double> decays(const Series& s) {
  const auto points = statistics::points_to_fit(s.at(0));
  const auto fit = statistics::fit_decays(statistics::decay_basis(points.size()), points);
  std::vector<double> values(fit.bias.begin(), fit.bias.end());
  values.insert(values.end(), fit.error.begin(), fit.error.end());
  values.push_back(fit.independent_values);
  return values;
}

std::vector<double> change_point(const Series& s) {
  const auto change =
      statistics::most_likely_change(statistics::decay_basis(s.at(0).size()), s[0]).value();
  return {static_cast<double>(change.first), change.change, change.bias, change.independent_values,
          change.is_found ? 1.0 : 0.0};
}

std::vector<double> steady(const Series& s) {
  const auto check = statistics::check_steady(s.at(0));
  return {code_of(check.steady), *check.bias_bound,
          static_cast<double>(check.change_step.value_or(-1))};
}

// The biases of one run after another.
std::vector<double> pooled(const Series& s) {
  std::vector<statistics::WindowVerdict> runs;
  for (const auto& biases : s) {
    std::copy(biases.begin(), biases.end(), runs.emplace_back().biases.emplace().begin());
  }
  const auto check = statistics::pooled_steady(runs);
  return {code_of(check.steady), *check.bias_bound};
}

// variance, degrees | variance, degrees
std::vector<double> variances(const Series& s) {
  const auto ci95 = statistics::variance_difference_ci95({s.at(0).at(0), s[0].at(1)},
                                                         {s.at(1).at(0), s[1].at(1)});
  return {ci95.low, ci95.high};
}

// group | group | ...: both sums over groups, and p
std::vector<double> normality(const Series& s) {
  const auto found = statistics::check_normality(s).value();
  return {found.skewness_z, found.kurtosis_z, found.p};
}

// repetitions, half-width now, half-width wanted
std::vector<double> repetitions(const Series& s) {
  const statistics::StopQuantity quantity{static_cast<std::size_t>(s.at(0).at(0)), s[0].at(1), {}};
  return {static_cast<double>(repetitions_needed(quantity, s[0].at(2)).value())};
}

// (t, degrees) | ...: ln P(|T| >= t) of each
std::vector<double> tails(const Series& s) {
  std::vector<double> values;
  for (const auto& one : s) {
    values.push_back(statistics::ln_students_t_two_sided(one.at(0), one.at(1)));
  }
  return values;
}

// series | series | ...: of each slow runs, difference of the levels, p
std::vector<double> levels(const Series& s) {
  std::vector<double> values;
  for (const auto& one : statistics::judge_levels(s)) {
    values.insert(values.end(), {static_cast<double>(one->slow_runs), one->slower_by, one->p});
  }
  return values;
}

// point | point | ...: the best, then what it cannot be told apart from
std::vector<double> fastest(const Series& s) {
  const auto found = statistics::fastest_of(s).value();
  std::vector<double> values{static_cast<double>(found.best)};
  for (const std::size_t other : found.others) values.push_back(static_cast<double>(other));
  return values;
}

// tolerance, look, look, ... | baseline: value, standard error, between boots; or nothing | part |
// ...: of each part outcome, look, difference and half-width
std::vector<double> accept(const Series& s) {
  statistics::AcceptanceRule rule{.tolerance = s.at(0).at(0), .looks = {}};
  for (std::size_t i = 1; i < s[0].size(); ++i) {
    rule.looks.push_back(static_cast<std::size_t>(s[0][i]));
  }
  std::optional<statistics::AcceptanceReference> baseline;
  if (!s.at(1).empty()) {
    baseline = statistics::AcceptanceReference{
        .ln_value = s[1].at(0), .standard_error = s[1].at(1), .between_boots = s[1].at(2)};
  }
  std::vector<statistics::AcceptancePart> parts;
  for (std::size_t i = 2; i < s.size(); ++i) parts.push_back({.values = s[i]});
  std::vector<double> values;
  for (const auto& part : statistics::judge_class(parts, rule, baseline).parts) {
    values.insert(values.end(),
                  {static_cast<double>(part.outcome), static_cast<double>(part.repetitions),
                   part.from_reference.value(), part.half_width.value()});
  }
  return values;
}

// part, value, value ... of one boot | ...: reference, its error, lift, spread between boots that
// counts, boots, and the spreads between parts, starts and boots; -1: absent
std::vector<double> baseline(const Series& s) {
  std::vector<statistics::BootedPart> parts;
  for (const auto& boot : s) {
    const auto part = static_cast<std::size_t>(boot.at(0));
    parts.resize(std::max(parts.size(), part + 1));
    parts[part].emplace_back(boot.begin() + 1, boot.end());
  }
  const auto shown = statistics::baseline_of(parts);
  const auto& reference = shown.reference;
  return {reference.ln_value,
          reference.standard_error,
          reference.lifted_by,
          reference.between_boots,
          static_cast<double>(shown.boots),
          shown.between_parts.value_or(-1),
          shown.between_starts.value_or(-1),
          shown.between_boots.value_or(-1)};
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
  if (question == "effects") return effects(series);
  if (question == "decays") return decays(series);
  if (question == "change_point") return change_point(series);
  if (question == "steady") return steady(series);
  if (question == "pooled") return pooled(series);
  if (question == "variances") return variances(series);
  if (question == "normality") return normality(series);
  if (question == "repetitions") return repetitions(series);
  if (question == "tails") return tails(series);
  if (question == "levels") return levels(series);
  if (question == "fastest") return fastest(series);
  if (question == "accept") return accept(series);
  if (question == "baseline") return baseline(series);
  throw std::invalid_argument("unknown question " + question);
}

}  // namespace

int scalemark::commands::statistics_answers(int, char**) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string question;
    words >> question;
    for (const double value : answer(question, read_series(words))) std::printf("%.17g ", value);
    std::printf("\n");
  }
  return 0;
}
