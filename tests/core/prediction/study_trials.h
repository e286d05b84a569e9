// The trials of the study, chosen and summarised. Every series counts once in what is said here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/core/prediction/calibration.h"
#include "tests/core/prediction/study_series.h"

namespace scalemark::prediction {

std::vector<Trial> trials_of(const std::vector<PublishedSeries>& all, double pull);

// Those in which all other counts predict the largest one.
std::vector<Trial> only_largest(const std::vector<PublishedSeries>& all,
                                const std::vector<Trial>& trials);

// Those of a source (`inside`), or of all others.
std::vector<Trial> only(const std::vector<Trial>& trials, const std::string& source, bool inside);

std::set<std::string> sources_of(const std::vector<PublishedSeries>& all);

struct Misses {  // |predicted / measured - 1|
  double median = 0, p90 = 0;
};
Misses misses_of(std::vector<double> misses);
Misses misses_of(const std::vector<Trial>& trials, const LogRatio& log_ratio);

}  // namespace scalemark::prediction
