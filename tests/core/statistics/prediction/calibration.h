// How far off the rule is on the published series: core/statistics/prediction/published_tests.inc
// is made of this.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/core/statistics/prediction/backtest.h"

namespace scalemark::prediction {

struct Trial {
  std::string source;
  std::size_t series = 0;  // number of the series
  Backtest test;
};

struct Weighted {
  double value = 0, weight = 1;
};
// The smallest value at which the values up to it have a share `p` of the weight ("inverted_cdf" of
// numpy.quantile).
double weighted_quantile(std::vector<Weighted> values, double p);

// Returns a weight per trial, so that each series weighs 1.
std::vector<double> weights_of(const std::vector<Trial>& trials);

// Returns the median of |predicted / measured - 1|; each series has weight 1.
double median_miss(const std::vector<Trial>& trials);

// Links new or not, and doublings_class().
struct TrialClass {
  bool new_link_level = false;
  int doublings = 1;
  auto operator<=>(const TrialClass&) const = default;
};
TrialClass class_of(const Backtest& test);

// One entry for each class that is tested, without and then with new links, by doublings.
std::vector<PublishedTest> calibrate(const std::vector<Trial>& trials);

// For each trial, whether it lies in the band of its class that the other sources' trials make;
// absent: its class is not tested.
std::vector<std::optional<bool>> inside_bands_of_others(const std::vector<Trial>& trials,
                                                        const std::vector<PublishedTest>& tests);

// Share of the chosen trials that lie inside, each series with weight 1; `trials` without those
// whose class is not tested.
struct Coverage {
  int trials = 0;
  double share = 0;
};
using Chosen = std::function<bool(const Trial&)>;
Coverage coverage_of(const std::vector<Trial>& trials,
                     const std::vector<std::optional<bool>>& inside, const Chosen& chosen);

}  // namespace scalemark::prediction
