// The constants of model and rules: what others would give, and what is left when no source judges
// a constant that it helped to choose.
#pragma once

#include <map>
#include <vector>

#include "tests/core/prediction/study_trials.h"

namespace scalemark::prediction {

using TrialsByPull = std::map<double, std::vector<Trial>>;
TrialsByPull trials_by_pull(const std::vector<PublishedSeries>& all);

// Two tables, as Markdown.
void print_constants(const std::vector<PublishedSeries>& all, const TrialsByPull& by_pull);

}  // namespace scalemark::prediction
