// Comparisons of the values of one axis as records: what core/statistics/effects.h says of them.
// Pure; does not know what was measured.
#pragma once

#include <vector>

#include "core/reporting/record/effect_records.h"

namespace scalemark::reporting {

struct ComparedPair {
  EffectRecord effect;  // all but the judgement and its words
  // ln of the ratio above which `to` is faster, of each pair of runs; at least one.
  std::vector<double> log_ratios;
};

// Judges all comparisons of one axis as one family (Holm), in their order. Those whose ratio no
// number holds are left out.
std::vector<EffectRecord> judged_effects(std::vector<ComparedPair> of_axis);

}  // namespace scalemark::reporting
