#include "tests/core/prediction/study_trials.h"

#include <algorithm>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::prediction {

std::vector<Trial> trials_of(const std::vector<PublishedSeries>& all, double pull) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Backtest& test : backtest(all[i].measured, {.pull = pull})) {
      trials.push_back({all[i].source, i, test});
    }
  }
  return trials;
}

Misses misses_of(std::vector<double> misses) {
  std::sort(misses.begin(), misses.end());
  return {statistics::quantile_of_sorted(misses, 0.5), statistics::quantile_of_sorted(misses, 0.9)};
}

Misses misses_of(const std::vector<Trial>& trials, const LogRatio& log_ratio) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(miss(log_ratio(trial.test)));
  return misses_of(std::move(values));
}

std::vector<Trial> only_largest(const std::vector<PublishedSeries>& all,
                                const std::vector<Trial>& trials) {
  std::vector<Trial> chosen;
  for (const Trial& trial : trials) {
    if (trial.test.fitted + 1 == all[trial.series].measured.points.size()) chosen.push_back(trial);
  }
  return chosen;
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

}  // namespace scalemark::prediction
