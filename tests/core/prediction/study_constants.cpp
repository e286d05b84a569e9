#include "tests/core/prediction/study_constants.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::prediction {
namespace {

constexpr double kPulls[] = {0.3, 1, 2, 3, 4, 6, 10};
constexpr double kLosses[] = {0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04};
constexpr double kSlopeShares[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

// Median of predicted / measured samples per second - 1.
double bias_farther_out(const std::vector<Trial>& trials) {
  std::vector<double> errors;
  for (const Trial& trial : trials) {
    const Backtest& test = trial.test;
    if (test.reach.doublings > 1 && !test.reach.new_link_level) {
      errors.push_back(std::exp(-test.model) - 1);
    }
  }
  std::sort(errors.begin(), errors.end());
  return statistics::quantile_of_sorted(errors, 0.5);
}

void print_pulls(const std::vector<PublishedSeries>& all, const TrialsByPull& by_pull) {
  std::printf(
      "\n### Constants that were chosen\n\n| the model's pull | median | p90 | median error of "
      "predictions over more than twice the ranks (signed) |\n|---|---|---|---|\n");
  for (const auto& [pull, trials] : by_pull) {
    const Misses misses = misses_of(only_largest(all, trials), of_model);
    std::printf("| %g | %.2f %% | %.1f %% | %+.1f %% |\n", pull, 100 * misses.median,
                100 * misses.p90, 100 * bias_farther_out(trials));
  }
}

// A method with one constant: its misses for each value, by trial.
struct Candidate {
  double constant;
  std::vector<Trial> trials;  // the largest count of each series
  LogRatio log_ratio;
};

// The constant that is best in the median on the other sources predicts this one.
void print_held_out(const char* name, const std::set<std::string>& sources,
                    const std::vector<Candidate>& candidates) {
  std::vector<double> misses;
  std::string constants;
  for (const std::string& source : sources) {
    const Candidate* best = nullptr;
    double least = INFINITY;
    for (const Candidate& candidate : candidates) {
      const double median =
          misses_of(only(candidate.trials, source, false), candidate.log_ratio).median;
      if (median < least) least = median, best = &candidate;
    }
    char text[40];
    std::snprintf(text, sizeof text, "%s%g", constants.empty() ? "" : ", ", best->constant);
    constants += text;
    for (const Trial& trial : only(best->trials, source, true)) {
      misses.push_back(miss(best->log_ratio(trial.test)));
    }
  }
  const Misses found = misses_of(std::move(misses));
  std::printf("| %s | %s | %.2f %% | %.1f %% |\n", name, constants.c_str(), 100 * found.median,
              100 * found.p90);
}

void print_cross_validation(const std::vector<PublishedSeries>& all, const TrialsByPull& by_pull) {
  std::printf(
      "\n### Constants chosen by the other sources each time\n\n| method | constant, by source as "
      "above | median | p90 |\n|---|---|---|---|\n");
  const auto largest = only_largest(all, by_pull.at(FitOptions{}.pull));
  std::vector<Candidate> losses, slopes, pulls;
  for (const double loss : kLosses) {
    losses.push_back(
        {loss, largest, [=](const Backtest& test) { return log_ratio_with_loss(test, loss); }});
  }
  for (const double share : kSlopeShares) {
    slopes.push_back(
        {share, largest, [=](const Backtest& test) { return log_ratio_with_slope(test, share); }});
  }
  for (const auto& [pull, trials] : by_pull) {
    pulls.push_back({pull, only_largest(all, trials), of_model});
  }
  print_held_out("loss per doubling", sources_of(all), losses);
  print_held_out("share of the last slope", sources_of(all), slopes);
  print_held_out("model's pull", sources_of(all), pulls);
}

}  // namespace

TrialsByPull trials_by_pull(const std::vector<PublishedSeries>& all) {
  TrialsByPull by_pull;
  for (const double pull : kPulls) by_pull[pull] = trials_of(all, pull);
  return by_pull;
}

void print_constants(const std::vector<PublishedSeries>& all, const TrialsByPull& by_pull) {
  print_pulls(all, by_pull);
  print_cross_validation(all, by_pull);
}

}  // namespace scalemark::prediction
