#include "tests/core/statistics/prediction/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace scalemark::prediction {
namespace {

constexpr double kBandTail = 0.025;

using Bands = std::map<TrialClass, Band>;

std::vector<Trial> only(const std::vector<Trial>& trials, const Chosen& chosen) {
  std::vector<Trial> found;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(found), chosen);
  return found;
}

std::vector<Trial> of_class(const std::vector<Trial>& trials, const TrialClass& wanted) {
  return only(trials, [&](const Trial& trial) { return class_of(trial.test) == wanted; });
}

int series_of(const std::vector<Trial>& trials) {
  std::set<std::size_t> series;
  for (const Trial& trial : trials) series.insert(trial.series);
  return static_cast<int>(series.size());
}

std::set<std::string> sources_of(const std::vector<Trial>& trials) {
  std::set<std::string> sources;
  for (const Trial& trial : trials) sources.insert(trial.source);
  return sources;
}

bool enough(const std::vector<Trial>& trials) {
  return series_of(trials) >= kFewestSeries &&
         sources_of(trials).size() >= static_cast<std::size_t>(kFewestSources);
}

Band widened(const Band& a, const Band& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Band quantiles(const std::vector<Trial>& trials) {
  const std::vector<double> weights = weights_of(trials);
  std::vector<Weighted> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values.push_back({trials[i].test.rule, weights[i]});
  }
  return {std::exp(weighted_quantile(values, kBandTail)),
          std::exp(weighted_quantile(values, 1 - kBandTail))};
}

// Never without 1, and never narrower than a band of fewer doublings or of links measured.
Bands bands_of(const std::vector<Trial>& trials, const std::set<TrialClass>& classes) {
  Bands bands;
  for (const TrialClass& wanted : classes) {
    Band band{1, 1};
    for (const auto& [before, its] : bands) {
      if (before.doublings <= wanted.doublings) band = widened(band, its);
    }
    const std::vector<Trial> chosen = of_class(trials, wanted);
    if (!chosen.empty()) band = widened(band, quantiles(chosen));
    bands[wanted] = band;
  }
  return bands;
}

int largest_world_size(const std::vector<Trial>& trials) {
  std::set<int, std::greater<>> targets;
  for (const Trial& trial : trials) targets.insert(trial.test.reach.world_size);
  for (const int target : targets) {
    if (enough(only(trials, [&](auto& trial) { return trial.test.reach.world_size >= target; }))) {
      return target;
    }
  }
  return 0;
}

PublishedTest without_band(const TrialClass& wanted, const std::vector<Trial>& trials) {
  return {.new_link_level = wanted.new_link_level,
          .doublings = wanted.doublings,
          .series = series_of(trials),
          .sources = static_cast<int>(sources_of(trials).size()),
          .largest_world_size = largest_world_size(trials),
          .median_error = median_miss(trials)};
}

TrialClass tried_class(const PublishedTest& test) { return {test.new_link_level, test.doublings}; }

std::set<TrialClass> classes_of(const std::vector<PublishedTest>& tests) {
  std::set<TrialClass> classes;
  for (const PublishedTest& test : tests) classes.insert(tried_class(test));
  return classes;
}

void add_bands(const std::vector<Trial>& trials, std::vector<PublishedTest>& tests) {
  const Bands bands = bands_of(trials, classes_of(tests));
  const auto inside = inside_bands_of_others(trials, tests);
  for (PublishedTest& test : tests) {
    const TrialClass wanted = tried_class(test);
    test.band = bands.at(wanted);
    test.coverage = coverage_of(trials, inside, [&](auto& trial) {
                      return class_of(trial.test) == wanted;
                    }).share;
  }
}

}  // namespace

double weighted_quantile(std::vector<Weighted> values, double p) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double all = 0, seen = 0;
  for (const Weighted& value : values) all += value.weight;
  for (const Weighted& value : values) {
    seen += value.weight;
    if (seen >= p * all - 1e-9) return value.value;
  }
  return values.back().value;
}

std::vector<double> weights_of(const std::vector<Trial>& trials) {
  std::map<std::size_t, int> trials_of;
  for (const Trial& trial : trials) ++trials_of[trial.series];
  std::vector<double> weights;
  for (const Trial& trial : trials) weights.push_back(1.0 / trials_of[trial.series]);
  return weights;
}

double median_miss(const std::vector<Trial>& trials) {
  const std::vector<double> weights = weights_of(trials);
  std::vector<Weighted> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values.push_back({miss(trials[i].test.rule), weights[i]});
  }
  return weighted_quantile(std::move(values), 0.5);
}

TrialClass class_of(const Backtest& test) {
  return {test.reach.new_link_level, doublings_class(test.reach.doublings)};
}

std::vector<PublishedTest> calibrate(const std::vector<Trial>& trials) {
  std::vector<PublishedTest> tests;
  for (const bool new_links : {false, true}) {
    for (int doublings = 1; doublings <= kMostDoublings; ++doublings) {
      const TrialClass wanted{new_links, doublings};
      const std::vector<Trial> chosen = of_class(trials, wanted);
      if (enough(chosen)) tests.push_back(without_band(wanted, chosen));
    }
  }
  add_bands(trials, tests);
  return tests;
}

std::vector<std::optional<bool>> inside_bands_of_others(const std::vector<Trial>& trials,
                                                        const std::vector<PublishedTest>& tests) {
  const std::set<TrialClass> classes = classes_of(tests);
  std::map<std::string, Bands> bands_without;
  for (const std::string& source : sources_of(trials)) {
    bands_without[source] =
        bands_of(only(trials, [&](auto& trial) { return trial.source != source; }), classes);
  }
  std::vector<std::optional<bool>> inside;
  for (const Trial& trial : trials) {
    inside.emplace_back();
    if (!classes.contains(class_of(trial.test))) continue;
    const Band band = bands_without[trial.source].at(class_of(trial.test));
    const double ratio = std::exp(trial.test.rule);
    inside.back() = band.low <= ratio && ratio <= band.high;
  }
  return inside;
}

Coverage coverage_of(const std::vector<Trial>& trials,
                     const std::vector<std::optional<bool>>& inside, const Chosen& chosen) {
  std::vector<Trial> judged;
  std::vector<bool> lies_inside;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!inside[i] || !chosen(trials[i])) continue;
    judged.push_back(trials[i]);
    lies_inside.push_back(*inside[i]);
  }
  const std::vector<double> weights = weights_of(judged);
  double all = 0, within = 0;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    all += weights[i];
    if (lies_inside[i]) within += weights[i];
  }
  return {static_cast<int>(judged.size()), all > 0 ? within / all : 0};
}

}  // namespace scalemark::prediction
