// prediction-study SOURCE_DIR [tests | trials]: model and rules held against the published series.
// Prints the figures of docs/PREDICTION.md as Markdown; with `tests` the classes for
// core/prediction/published_tests.inc; with `trials` every prediction as CSV. Reads
// results/published and results/measured only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "tests/core/prediction/measured_step.h"
#include "tests/core/prediction/study_constants.h"
#include "tools/programs/commands.h"

namespace scalemark::prediction {
namespace {

constexpr double kSlopeShare = 0.4;

double of_last_efficiency(const Backtest& test) { return test.last_efficiency_holds; }
double of_slope(const Backtest& test) { return log_ratio_with_slope(test, kSlopeShare); }

void print_row(const std::string& name, const std::vector<Trial>& trials) {
  std::printf("| %s | %zu |", name.c_str(), trials.size());
  for (const LogRatio& log_ratio :
       {LogRatio(of_last_efficiency), LogRatio(of_rule), LogRatio(of_slope), LogRatio(of_model)}) {
    const Misses misses = misses_of(trials, log_ratio);
    std::printf(" %.2f / %.1f %% |", 100 * misses.median, 100 * misses.p90);
  }
  std::printf("\n");
}

void print_by_source(const std::vector<PublishedSeries>& all, const std::vector<Trial>& largest) {
  std::printf(
      "\n### By source: median and p90 of the errors\n\n| source | series | last efficiency holds "
      "| "
      "falls 2 %% per doubling (the rule) | %g of the last slope goes on | model "
      "|\n|---|---|---|---|---|---|\n",
      kSlopeShare);
  for (const std::string& source : sources_of(all)) print_row(source, only(largest, source, true));
  print_row("**all**", largest);
}

// Published series rise in efficiency, too: no method that falls can follow them.
void print_noise_floor(const std::vector<PublishedSeries>& all) {
  int steps = 0, rises = 0, clear_rises = 0;
  for (const PublishedSeries& series : all) {
    const auto& points = series.measured.points;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double rise = std::log(points[i - 1].step_s / points[i].step_s);
      ++steps;
      rises += rise > 0;
      clear_rises += rise > 0.02;
    }
  }
  std::printf(
      "\nOf the %d steps from one count to the next, %.0f %% rise in efficiency, %.0f %% by more "
      "than 2 "
      "%%.\n",
      steps, 100.0 * rises / steps, 100.0 * clear_rises / steps);
}

const char* in_words(bool new_link_level) {
  return new_link_level ? "a level not measured" : "as measured";
}

std::string reach_in_words(int doublings) {
  const int above = 1 << (doublings - 1), most = 2 * above;
  if (doublings > kMostDoublings) return "more than " + std::to_string(1 << kMostDoublings);
  return (above > 1 ? "above " + std::to_string(above) + ", " : "") + "up to " +
         std::to_string(most);
}

void print_difference(const std::vector<Trial>& largest, const char* name, const LogRatio& other) {
  const SourceInterval difference = difference_over_sources(largest, of_model, other);
  std::printf("| %s | %+.2f | %+.2f to %+.2f |\n", name,
              100 * (median_miss(largest, of_model) - median_miss(largest, other)),
              100 * difference.low, 100 * difference.high);
}

void print_differences(const std::vector<Trial>& largest) {
  std::printf(
      "\n### The model against simpler methods, largest count of each series\n\n| against | "
      "difference of the median errors in points, model - other | 95 %% over sources "
      "|\n|---|---|---|\n");
  print_difference(largest, "last efficiency holds", of_last_efficiency);
  print_difference(largest, "falls 2 % per doubling (the rule)", of_rule);
  print_difference(largest, "0.4 of the last slope goes on", of_slope);
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

const PublishedTest* tested(const std::vector<PublishedTest>& tests, const TrialClass& wanted) {
  for (const PublishedTest& test : tests) {
    if (test.new_link_level == wanted.new_link_level && test.doublings == wanted.doublings) {
      return &test;
    }
  }
  return nullptr;
}

void print_classes(const std::vector<Trial>& trials, const std::vector<PublishedTest>& tests) {
  std::printf(
      "\n### The model against the rule, and the bands, by what is asked\n\n| links | times the "
      "largest "
      "count measured | series | sources | median, model | median, rule | difference in points, 95 "
      "%% over sources | the prediction | band | held for sources left out | up to ranks "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [its, size] : sizes_of(trials)) {
    std::printf("| %s | %s | %zu | %zu |", in_words(its.new_link_level),
                reach_in_words(its.doublings).c_str(), size.series.size(), size.sources.size());
    if (const PublishedTest* test = tested(tests, its)) {
      std::printf(" %.1f %% | %.1f %% | %+.2f to %+.2f | %s | x%.3f to x%.3f | %.0f %% | %d |\n",
                  100 * test->model_error, 100 * test->rule_error, 100 * test->difference_low,
                  100 * test->difference_high,
                  better_predictor(*test) == Predictor::kModel ? "model" : "rule", test->band.low,
                  test->band.high, 100 * test->coverage, test->largest_world_size);
    } else {
      std::printf(" | | | rule | not testable | | |\n");
    }
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

void print_measured_steps(const std::string& root) {
  for (const MeasuredSteps& measured : read_measured_steps(root)) {
    std::printf(
        "\n### Measured steps of two ranks: %s, %s\n\n| workload | payload | own time of the "
        "ranks | measured step | link from the others | simulated step | error "
        "|\n|---|---|---|---|---|---|---|\n",
        measured.cpu.c_str(), measured.date.c_str());
    for (std::size_t i = 0; i < measured.steps.size(); ++i) {
      const MeasuredStep& step = measured.steps[i];
      const SimulatedStep made = simulate_step(measured, i);
      std::printf(
          "| %s | %.3g MB in %zu | %.4g and %.4g ms | %.4g ms | %.3g us, %.3g GB/s | %.4g ms | "
          "%+.1f %% |\n",
          step.workload.c_str(), step.payload_bytes / 1e6, step.bucket_bytes.size(),
          1e3 * step.own_s[0], 1e3 * step.own_s[1], 1e3 * step.step_s, 1e6 * made.link.alpha_s,
          1e-9 / made.link.s_per_byte, 1e3 * made.step_s, 100 * made.relative_error);
    }
  }
}

void print_figures(const std::string& root, const std::vector<PublishedSeries>& all) {
  const TrialsByPull by_pull = trials_by_pull(all);
  const std::vector<Trial>& every = by_pull.at(FitOptions{}.pull);
  const std::vector<Trial> largest = only_largest(all, every);
  const std::vector<PublishedTest> tests = calibrate(every);
  print_by_source(all, largest);
  print_noise_floor(all);
  print_differences(largest);
  print_classes(every, tests);
  print_coverage(all, every, tests);
  print_constants(all, by_pull);
  print_measured_steps(root);
}

void print_tests(const std::vector<PublishedSeries>& all) {
  std::printf("// Made of results/published by scripts/prediction. Do not edit.\n");
  for (const PublishedTest& test : calibrate(trials_of(all, FitOptions{}.pull))) {
    std::printf(
        "{.new_link_level = %s, .doublings = %d, .series = %d, .sources = %d, .largest_world_size "
        "= "
        "%d,\n .model_error = %.4f, .rule_error = %.4f, .difference_low = %.4f, .difference_high = "
        "%.4f,\n .band = {%.4f, %.4f}, .coverage = %.3f},\n",
        test.new_link_level ? "true" : "false", test.doublings, test.series, test.sources,
        test.largest_world_size, test.model_error, test.rule_error, test.difference_low,
        test.difference_high, test.band.low, test.band.high, test.coverage);
  }
}

void print_trials(const std::vector<PublishedSeries>& all) {
  std::printf("source,series,largest_fitted,predicted,new_link_level,model,rule,last,slope\n");
  for (const Trial& trial : trials_of(all, FitOptions{}.pull)) {
    const Backtest& test = trial.test;
    std::printf("%s,%zu,%d,%d,%d,%.17g,%.17g,%.17g,%.17g\n", trial.source.c_str(), trial.series,
                test.largest_fitted, test.reach.world_size, test.reach.new_link_level, test.model,
                test.rule, test.last_efficiency_holds, log_ratio_with_slope(test, kSlopeShare));
  }
}

void run(const std::string& root, std::string_view what) {
  const auto all = published_series(root);
  if (what == "tests") return print_tests(all);
  if (what == "trials") return print_trials(all);
  print_figures(root, all);
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
