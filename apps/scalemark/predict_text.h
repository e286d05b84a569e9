// A prediction for people: the table, how well the model fits, and what it assumes. Pure.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/predict_records.h"

namespace scalemark::cli {

// `records`: prediction_records() of both.
std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction,
                            const std::vector<reporting::Prediction>& records);

}  // namespace scalemark::cli
