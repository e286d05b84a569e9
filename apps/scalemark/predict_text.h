// A prediction for people: the table, and what it rests on. Pure.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/predict_records.h"
#include "core/base/terminal.h"

namespace scalemark::cli {

// One series. `records`: prediction_records() of both. `details`: what the model and the rule give,
// why one of them is taken, and what the model assumes.
std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction,
                            const std::vector<reporting::Prediction>& records,
                            const Terminal& terminal, bool details);

// How all series are predicted. `records`: of all.
std::string method_text(const std::vector<reporting::Prediction>& records, const Terminal& terminal,
                        bool details);

}  // namespace scalemark::cli
