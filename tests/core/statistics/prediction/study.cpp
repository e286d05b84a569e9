// prediction-study SOURCE_DIR [tests | trials]: the rule held against the published series. Prints
// the figures of PREDICTION_STUDY.md as Markdown; with `tests` the classes for
// core/statistics/prediction/published_tests.inc; with `trials` every prediction as CSV. Reads
// results/published only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/statistics/summary.h"
#include "tests/core/statistics/prediction/calibration.h"
#include "tools/programs/commands.h"

namespace scalemark::prediction {
namespace {

constexpr double kSlopeShare = 0.4;
constexpr double kLosses[] = {0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04};
constexpr double kSlopeShares[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

using LogRatio = std::function<double(const Backtest&)>;

LogRatio with_loss(double loss) {
  return [=](const Backtest& test) { return log_ratio_with_loss(test, loss); };
}

LogRatio with_slope(double share) {
  return [=](const Backtest& test) { return log_ratio_with_slope(test, share); };
}

std::vector<Trial> trials_of(const std::vector<PublishedSeries>& all) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Backtest& test : backtest(all[i].points)) {
      trials.push_back({all[i].source, i, test});
    }
  }
  return trials;
}

// Keeps the trials in which all other counts predict the largest one.
std::vector<Trial> only_largest(const std::vector<PublishedSeries>& all,
                                const std::vector<Trial>& trials) {
  std::vector<Trial> chosen;
  for (const Trial& trial : trials) {
    if (trial.test.fitted + 1 == all[trial.series].points.size()) chosen.push_back(trial);
  }
  return chosen;
}

// Keeps the trials of a source (`inside`), or those of all others.
std::vector<Trial> only(const std::vector<Trial>& trials, const std::string& source, bool inside) {
  std::vector<Trial> chosen;
  for (const Trial& trial : trials) {
    if ((trial.source == source) == inside) chosen.push_back(trial);
  }
  return chosen;
}

std::set<std::string> sources_of(const std::vector<PublishedSeries>& all) {
  std::set<std::string> sources;
  for (const PublishedSeries& series : all) sources.insert(series.source);
  return sources;
}

struct Misses {  // |predicted / measured - 1|
  double median = 0, p90 = 0;
};

Misses misses_of(std::vector<double> misses) {
  std::sort(misses.begin(), misses.end());
  return {statistics::quantile_of_sorted(misses, 0.5), statistics::quantile_of_sorted(misses, 0.9)};
}

Misses misses_of(const std::vector<Trial>& trials, const LogRatio& log_ratio) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(miss(log_ratio(trial.test)));
  return misses_of(std::move(values));
}

void print_by_source(const std::vector<PublishedSeries>& all, const std::vector<Trial>& largest) {
  std::printf(
      "\n### By source: median and p90 of the errors\n\n| source | series | last efficiency holds "
      "| falls 2 %% per doubling (the rule) | %g of the last slope goes on "
      "|\n|---|---|---|---|---|\n",
      kSlopeShare);
  const auto print = [](const std::string& name, const std::vector<Trial>& trials) {
    std::printf("| %s | %zu |", name.c_str(), trials.size());
    for (const auto& log_ratio :
         {with_loss(0), with_loss(kLossPerDoubling), with_slope(kSlopeShare)}) {
      const Misses misses = misses_of(trials, log_ratio);
      std::printf(" %.2f / %.1f %% |", 100 * misses.median, 100 * misses.p90);
    }
    std::printf("\n");
  };
  for (const std::string& source : sources_of(all)) print(source, only(largest, source, true));
  print("**all**", largest);
}

// Published series rise in efficiency, too: no method that falls can follow them.
void print_noise_floor(const std::vector<PublishedSeries>& all) {
  int steps = 0, rises = 0, clear_rises = 0;
  for (const PublishedSeries& series : all) {
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      const MeasuredPoint &a = series.points[i - 1], &b = series.points[i];
      const double rise =
          std::log(b.samples_per_sec / b.world_size * a.world_size / a.samples_per_sec);
      ++steps;
      rises += rise > 0;
      clear_rises += rise > 0.02;
    }
  }
  std::printf(
      "\nOf the %d steps from one count to the next, %.0f %% rise in efficiency, %.0f %% by more "
      "than 2 %%.\n",
      steps, 100.0 * rises / steps, 100.0 * clear_rises / steps);
}

// Each series has weight 1, as in the classes.
void print_inner_counts(const std::vector<PublishedSeries>& all) {
  std::vector<Weighted> misses;
  for (const PublishedSeries& series : all) {
    const std::vector<double> ratios = inner_counts(series.points);
    for (const double ratio : ratios) {
      misses.push_back({miss(ratio), 1.0 / static_cast<double>(ratios.size())});
    }
  }
  std::printf(
      "\nBetween two counts, %zu inner counts of these series by their two neighbours: median %.2f "
      "%%, p90 %.1f %%.\n",
      misses.size(), 100 * weighted_quantile(misses, 0.5), 100 * weighted_quantile(misses, 0.9));
}

std::string reach_in_words(int doublings) {
  const int above = 1 << (doublings - 1), most = 2 * above;
  if (doublings > kMostDoublings) return "more than " + std::to_string(1 << kMostDoublings);
  return (above > 1 ? "above " + std::to_string(above) + ", " : "") + "up to " +
         std::to_string(most);
}

struct ClassSize {
  std::set<std::size_t> series;
  std::set<std::string> sources;
};

std::map<TrialClass, ClassSize> sizes_of(const std::vector<Trial>& trials) {
  std::map<TrialClass, ClassSize> sizes;
  for (const Trial& trial : trials) {
    TrialClass its = class_of(trial.test);
    its.doublings = std::min(its.doublings, kMostDoublings + 1);
    sizes[its].series.insert(trial.series);
    sizes[its].sources.insert(trial.source);
  }
  return sizes;
}

void print_classes(const std::vector<Trial>& trials, const std::vector<PublishedTest>& tests) {
  std::printf(
      "\n### The rule and its bands, by what is asked\n\n| links | times the largest count "
      "measured | series | sources | median error | band | held for sources left out | up to ranks "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const auto& [its, size] : sizes_of(trials)) {
    std::printf("| %s | %s | %zu | %zu |",
                its.new_link_level ? "a level not measured" : "as measured",
                reach_in_words(its.doublings).c_str(), size.series.size(), size.sources.size());
    const auto test = std::ranges::find_if(tests, [&](const PublishedTest& one) {
      return one.new_link_level == its.new_link_level && one.doublings == its.doublings;
    });
    if (test == tests.end()) {
      std::printf(" | not testable | | |\n");
      continue;
    }
    std::printf(" %.1f %% | x%.3f to x%.3f | %.0f %% | %d |\n", 100 * test->median_error,
                test->band.low, test->band.high, 100 * test->coverage, test->largest_world_size);
  }
}

void print_coverage(const std::vector<PublishedSeries>& all, const std::vector<Trial>& trials,
                    const std::vector<PublishedTest>& tests) {
  std::printf(
      "\n### Coverage of the bands, each source judged by bands made of the others\n\n"
      "| source | predictions | inside |\n|---|---|---|\n");
  const auto inside = inside_bands_of_others(trials, tests);
  const auto print = [&](const std::string& name, const Chosen& chosen) {
    const Coverage coverage = coverage_of(trials, inside, chosen);
    std::printf("| %s | %d | %.1f %% |\n", name.c_str(), coverage.trials, 100 * coverage.share);
  };
  for (const std::string& source : sources_of(all)) {
    print(source, [&](const Trial& trial) { return trial.source == source; });
  }
  print("**all**", [](const Trial&) { return true; });
  print("links as measured", [](const Trial& trial) { return !trial.test.reach.new_link_level; });
  print("links not measured", [](const Trial& trial) { return trial.test.reach.new_link_level; });
}

// The constant that is best in the median on the other sources predicts this one.
void print_held_out(const char* name, const std::set<std::string>& sources,
                    const std::vector<Trial>& largest, std::span<const double> constants,
                    LogRatio (*method)(double)) {
  std::vector<double> misses;
  std::string chosen;
  for (const std::string& source : sources) {
    const std::vector<Trial> others = only(largest, source, false);
    const double best = *std::ranges::min_element(
        constants, {}, [&](double constant) { return misses_of(others, method(constant)).median; });
    char text[40];
    std::snprintf(text, sizeof text, "%s%g", chosen.empty() ? "" : ", ", best);
    chosen += text;
    for (const Trial& trial : only(largest, source, true)) {
      misses.push_back(miss(method(best)(trial.test)));
    }
  }
  const Misses found = misses_of(std::move(misses));
  std::printf("| %s | %s | %.2f %% | %.1f %% |\n", name, chosen.c_str(), 100 * found.median,
              100 * found.p90);
}

void print_figures(const std::vector<PublishedSeries>& all) {
  const std::vector<Trial> every = trials_of(all), largest = only_largest(all, every);
  const std::vector<PublishedTest> tests = calibrate(every);
  print_by_source(all, largest);
  print_noise_floor(all);
  print_inner_counts(all);
  print_classes(every, tests);
  print_coverage(all, every, tests);
  std::printf(
      "\n### Constants chosen by the other sources each time\n\n| method | constant, by source as "
      "above | median | p90 |\n|---|---|---|---|\n");
  print_held_out("loss per doubling", sources_of(all), largest, kLosses, with_loss);
  print_held_out("share of the last slope", sources_of(all), largest, kSlopeShares, with_slope);
}

void print_tests(const std::vector<PublishedSeries>& all) {
  std::printf("// Made of results/published by scripts/prediction. Do not edit.\n");
  for (const PublishedTest& test : calibrate(trials_of(all))) {
    std::printf(
        "{.new_link_level = %s, .doublings = %d, .series = %d, .sources = %d, .largest_world_size "
        "= %d,\n .median_error = %.4f, .band = {%.4f, %.4f}, .coverage = %.3f},\n",
        test.new_link_level ? "true" : "false", test.doublings, test.series, test.sources,
        test.largest_world_size, test.median_error, test.band.low, test.band.high, test.coverage);
  }
}

void print_trials(const std::vector<PublishedSeries>& all) {
  std::printf("source,series,largest_fitted,predicted,new_link_level,rule,last\n");
  for (const Trial& trial : trials_of(all)) {
    const Backtest& test = trial.test;
    std::printf("%s,%zu,%d,%d,%d,%.17g,%.17g\n", trial.source.c_str(), trial.series,
                test.largest_fitted, test.reach.world_size, test.reach.new_link_level, test.rule,
                test.last_efficiency_holds);
  }
}

void run(const std::string& root, std::string_view what) {
  const auto all = published_series(root);
  if (what == "tests") return print_tests(all);
  if (what == "trials") return print_trials(all);
  print_figures(all);
}

}  // namespace
}  // namespace scalemark::prediction

int scalemark::commands::prediction_study(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && what != "tests" && what != "trials")) {
    std::fprintf(stderr, "prediction-study SOURCE_DIR [tests | trials]\n");
    return 64;
  }
  try {
    scalemark::prediction::run(argv[1], what);
  } catch (const scalemark::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.record().exit_code);
  }
  return 0;
}
