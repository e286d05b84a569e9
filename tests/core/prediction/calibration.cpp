#include "tests/core/prediction/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace scalemark::prediction {
namespace {

constexpr double kBandTail = 0.025;
constexpr int kDraws = 20'000;
constexpr std::uint64_t kSeed = 13;

using Bands = std::map<TrialClass, Band>;
using Predictors = std::map<TrialClass, Predictor>;

LogRatio log_ratio_of(Predictor predictor) {
  return predictor == Predictor::kModel ? of_model : of_rule;
}

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

// The misses of one method in ascending order, with what a draw of sources needs.
class CalibrationMisses {
 public:
  CalibrationMisses(const std::vector<Trial>& trials, const std::vector<std::size_t>& source_of,
                    const LogRatio& log_ratio) {
    const std::vector<double> weights = weights_of(trials);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      values_.push_back({miss(log_ratio(trials[i].test)), weights[i], source_of[i]});
    }
    std::sort(values_.begin(), values_.end(),
              [](const Value& a, const Value& b) { return a.miss < b.miss; });
  }

  double median(const std::vector<int>& times_drawn) const {
    double all = 0, seen = 0;
    for (const Value& value : values_) all += value.weight * times_drawn[value.source];
    for (const Value& value : values_) {
      seen += value.weight * times_drawn[value.source];
      if (seen >= all / 2 - 1e-9) return value.miss;
    }
    return values_.back().miss;
  }

 private:
  struct Value {
    double miss, weight;
    std::size_t source;
  };
  std::vector<Value> values_;
};

Band widened(const Band& a, const Band& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Band quantiles(const std::vector<Trial>& trials, const LogRatio& log_ratio) {
  const std::vector<double> weights = weights_of(trials);
  std::vector<Weighted> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values.push_back({log_ratio(trials[i].test), weights[i]});
  }
  return {std::exp(weighted_quantile(values, kBandTail)),
          std::exp(weighted_quantile(values, 1 - kBandTail))};
}

// Never without 1, and never narrower than a band of fewer doublings or of links measured.
Bands bands_of(const std::vector<Trial>& trials, const Predictors& predictors) {
  Bands bands;
  for (const auto& [wanted, predictor] : predictors) {
    Band band{1, 1};
    for (const auto& [before, its] : bands) {
      if (before.doublings <= wanted.doublings) band = widened(band, its);
    }
    const std::vector<Trial> chosen = of_class(trials, wanted);
    if (!chosen.empty()) band = widened(band, quantiles(chosen, log_ratio_of(predictor)));
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
  const SourceInterval difference = difference_over_sources(trials, of_model, of_rule);
  return {.new_link_level = wanted.new_link_level,
          .doublings = wanted.doublings,
          .series = series_of(trials),
          .sources = static_cast<int>(sources_of(trials).size()),
          .largest_world_size = largest_world_size(trials),
          .model_error = median_miss(trials, of_model),
          .rule_error = median_miss(trials, of_rule),
          .difference_low = difference.low,
          .difference_high = difference.high};
}

TrialClass tried_class(const PublishedTest& test) { return {test.new_link_level, test.doublings}; }

Predictors predictors_of(const std::vector<PublishedTest>& tests) {
  Predictors predictors;
  for (const PublishedTest& test : tests) predictors[tried_class(test)] = better_predictor(test);
  return predictors;
}

void add_bands(const std::vector<Trial>& trials, std::vector<PublishedTest>& tests) {
  const Bands bands = bands_of(trials, predictors_of(tests));
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

double of_model(const Backtest& test) { return test.model; }
double of_rule(const Backtest& test) { return test.rule; }

double median_miss(const std::vector<Trial>& trials, const LogRatio& log_ratio) {
  const std::vector<double> weights = weights_of(trials);
  std::vector<Weighted> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values.push_back({miss(log_ratio(trials[i].test)), weights[i]});
  }
  return weighted_quantile(std::move(values), 0.5);
}

SourceInterval difference_over_sources(const std::vector<Trial>& trials, const LogRatio& a,
                                       const LogRatio& b) {
  const std::set<std::string> sources = sources_of(trials);
  std::vector<std::size_t> source_of;
  for (const Trial& trial : trials) {
    source_of.push_back(
        static_cast<std::size_t>(std::distance(sources.begin(), sources.find(trial.source))));
  }
  const CalibrationMisses by_a(trials, source_of, a), by_b(trials, source_of, b);
  std::mt19937_64 random(kSeed);
  std::vector<Weighted> differences;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<int> times_drawn(sources.size(), 0);
    for (std::size_t i = 0; i < sources.size(); ++i) ++times_drawn[random() % sources.size()];
    differences.push_back({by_a.median(times_drawn) - by_b.median(times_drawn)});
  }
  return {weighted_quantile(differences, 0.025), weighted_quantile(differences, 0.975)};
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
  const Predictors predictors = predictors_of(tests);
  std::map<std::string, Bands> bands_without;
  for (const std::string& source : sources_of(trials)) {
    bands_without[source] =
        bands_of(only(trials, [&](auto& trial) { return trial.source != source; }), predictors);
  }
  std::vector<std::optional<bool>> inside;
  for (const Trial& trial : trials) {
    const auto predictor = predictors.find(class_of(trial.test));
    inside.emplace_back();
    if (predictor == predictors.end()) continue;
    const Band band = bands_without[trial.source].at(predictor->first);
    const double ratio = std::exp(log_ratio_of(predictor->second)(trial.test));
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
