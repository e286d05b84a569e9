// prediction_study SOURCE_DIR: the method held against the published series; prints the figures of
// docs/PREDICTION.md as Markdown. Reads results/published only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/prediction/forecast.h"
#include "core/statistics/summary.h"
#include "tests/core/prediction/measured_step.h"
#include "tests/core/prediction/study_series.h"

namespace scalemark::prediction {
namespace {

constexpr double kPulls[] = {0.3, 1, 2, 3, 4, 6, 10};

struct Trial {  // the largest count of a series, predicted by the others
  std::string source;
  Backtest test;
};

double miss(const ForecastError& error) { return std::abs(std::exp(-error.log_ratio) - 1); }

struct Misses {
  double median, p90;
};

template <class Select>
Misses misses_of(const std::vector<Trial>& trials, Select select) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(miss(select(trial.test)));
  std::sort(values.begin(), values.end());
  return {statistics::quantile_of_sorted(values, 0.5), statistics::quantile_of_sorted(values, 0.9)};
}

ForecastError of_model(const Backtest& test) { return test.model; }
ForecastError of_naive(const Backtest& test) { return test.last_efficiency_holds; }

std::vector<Trial> trials_of(const std::vector<PublishedSeries>& all, double pull,
                             bool largest_only) {
  std::vector<Trial> trials;
  for (const PublishedSeries& series : all) {
    for (const Backtest& test : backtest(series.measured, {.pull = pull})) {
      const std::size_t last = series.measured.points.size() - 1;
      if (largest_only && test.fitted != last) continue;
      trials.push_back({series.source, test});
    }
  }
  return trials;
}

std::set<std::string> sources_of(const std::vector<PublishedSeries>& all) {
  std::set<std::string> sources;
  for (const PublishedSeries& series : all) sources.insert(series.source);
  return sources;
}

std::vector<Trial> only(const std::vector<Trial>& trials, const std::string& source, bool inside) {
  std::vector<Trial> chosen;
  for (const Trial& trial : trials) {
    if ((trial.source == source) == inside) chosen.push_back(trial);
  }
  return chosen;
}

void print_row(const std::string& name, std::size_t n, Misses naive, Misses model) {
  std::printf("| %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", name.c_str(), n,
              100 * naive.median, 100 * model.median, 100 * naive.p90, 100 * model.p90);
}

constexpr const char* kHead =
    "| %s | series | last efficiency holds, median | model, median | last efficiency holds, p90 | "
    "model, p90 |\n|---|---|---|---|---|---|\n";

void print_by_source(const std::vector<PublishedSeries>& all, const std::vector<Trial>& trials) {
  std::printf("\n### By source\n\n");
  std::printf(kHead, "source");
  for (const std::string& source : sources_of(all)) {
    const auto chosen = only(trials, source, true);
    print_row(source, chosen.size(), misses_of(chosen, of_naive), misses_of(chosen, of_model));
  }
  print_row("**all**", trials.size(), misses_of(trials, of_naive), misses_of(trials, of_model));
}

// Median of predicted / measured samples per second - 1.
double bias_farther_out(const std::vector<Trial>& trials) {
  std::vector<double> errors;
  for (const Trial& trial : trials) {
    const ForecastError& error = trial.test.model;
    if (error.octaves > 1 && !error.assumed_link) errors.push_back(std::exp(-error.log_ratio) - 1);
  }
  std::sort(errors.begin(), errors.end());
  return statistics::quantile_of_sorted(errors, 0.5);
}

void print_pulls(const std::vector<PublishedSeries>& all) {
  std::printf(
      "\n### The one constant that was chosen\n\n| pull | median | p90 | median error of "
      "predictions over more than twice the ranks (signed) |\n|---|---|---|---|\n");
  for (const double pull : kPulls) {
    const Misses misses = misses_of(trials_of(all, pull, true), of_model);
    std::printf("| %g | %.2f %% | %.1f %% | %+.1f %% |\n", pull, 100 * misses.median,
                100 * misses.p90, 100 * bias_farther_out(trials_of(all, pull, false)));
  }
}

// The pull that is best in the median on the other sources predicts this one.
void print_cross_validation(const std::vector<PublishedSeries>& all) {
  std::map<double, std::vector<Trial>> by_pull;
  for (const double pull : kPulls) by_pull[pull] = trials_of(all, pull, true);
  std::vector<Trial> held_out;
  std::string chosen_pulls;
  for (const std::string& source : sources_of(all)) {
    double best_pull = kPulls[0], least = INFINITY;
    for (const auto& [pull, trials] : by_pull) {
      const double median = misses_of(only(trials, source, false), of_model).median;
      if (median < least) least = median, best_pull = pull;
    }
    char text[160];
    std::snprintf(text, sizeof text, "%s%s %g", chosen_pulls.empty() ? "" : ", ", source.c_str(),
                  best_pull);
    chosen_pulls += text;
    for (const Trial& trial : only(by_pull[best_pull], source, true)) held_out.push_back(trial);
  }
  const Misses misses = misses_of(held_out, of_model);
  std::printf("\nChosen by the other sources each time (%s): median %.2f %%, p90 %.1f %%.\n",
              chosen_pulls.c_str(), 100 * misses.median, 100 * misses.p90);
}

std::vector<ForecastError> errors_of(const std::vector<Trial>& trials) {
  std::vector<ForecastError> errors;
  for (const Trial& trial : trials) errors.push_back(trial.test.model);
  return errors;
}

struct Coverage {
  int inside = 0, all = 0;
  void count(const BandTable& table, const ForecastError& error) {
    const Band band = band_of(table, error.octaves, error.assumed_link);
    const double ratio = std::exp(error.log_ratio);
    inside += band.low <= ratio && ratio <= band.high;
    ++all;
  }
  double share() const { return all ? 100.0 * inside / all : 0; }
};

void print_bands(const std::vector<Trial>& trials) {
  const BandTable table = calibrate(errors_of(trials));
  std::printf(
      "\n### Bands\n\n| links | up to twice | up to 4 times | up to 8 times the largest "
      "measured count |\n|---|---|---|---|\n");
  for (std::size_t assumed = 0; assumed < 2; ++assumed) {
    std::printf("| %s |", assumed ? "one level assumed" : "measured or given");
    for (const Band& band : table.bands[assumed]) {
      std::printf(" x%.3f to x%.3f |", band.low, band.high);
    }
    std::printf("\n");
  }
}

void print_coverage(const std::vector<PublishedSeries>& all, const std::vector<Trial>& trials) {
  std::printf(
      "\n### Coverage of the bands, each source judged by bands made of the others\n\n"
      "| source | predictions | inside |\n|---|---|---|\n");
  Coverage total, measured, assumed;
  for (const std::string& source : sources_of(all)) {
    const BandTable table = calibrate(errors_of(only(trials, source, false)));
    Coverage here;
    for (const Trial& trial : only(trials, source, true)) {
      here.count(table, trial.test.model);
      total.count(table, trial.test.model);
      (trial.test.model.assumed_link ? assumed : measured).count(table, trial.test.model);
    }
    std::printf("| %s | %d | %.0f %% |\n", source.c_str(), here.all, here.share());
  }
  std::printf(
      "| **all** | %d | %.1f %% |\n| links measured | %d | %.1f %% |\n| a link assumed | %d "
      "| %.1f %% |\n",
      total.all, total.share(), measured.all, measured.share(), assumed.all, assumed.share());
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

void print_study(const std::string& root) {
  const auto all = published_series(root);
  const double pull = FitOptions{}.pull;
  const auto largest = trials_of(all, pull, true);
  const auto every = trials_of(all, pull, false);
  print_by_source(all, largest);
  print_pulls(all);
  print_cross_validation(all);
  print_bands(every);
  print_coverage(all, every);
  print_measured_steps(root);
}

}  // namespace
}  // namespace scalemark::prediction

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "prediction_study SOURCE_DIR\n");
    return 64;
  }
  try {
    scalemark::prediction::print_study(argv[1]);
  } catch (const scalemark::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.record().exit_code);
  }
  return 0;
}
