// The published scaling series as the fit wants them.
#pragma once

#include <string>
#include <vector>

#include "core/prediction/fit.h"

namespace scalemark::prediction {

struct PublishedSeries {
  std::string source, name;
  Measured measured;
};

// Series of at least 3 counts in results/published of the source tree at `root`.
std::vector<PublishedSeries> published_series(const std::string& root);

}  // namespace scalemark::prediction
