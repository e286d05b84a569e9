// The prediction's model assumes this, in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/predict_records.h"

namespace scalemark::cli {

std::vector<std::string> assumption_lines(const WeakSeries& series, const SeriesPrediction& made);

}  // namespace scalemark::cli
