// The prediction's model assumes this, in words. Pure.
#pragma once

#include <string>

#include "apps/scalemark/predict_records.h"

namespace scalemark::cli {

std::string assumptions_text(const WeakSeries& series, const SeriesPrediction& made);

}  // namespace scalemark::cli
