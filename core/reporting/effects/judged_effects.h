// Comparisons of the values of one axis as records: what core/statistics/effects.h says of them.
// Pure; does not know what was measured.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/reporting/record/effect_records.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {

struct ComparedPair {
  EffectRecord effect;  // all but the judgement and its words
  // ln of the ratio above which `to` is faster, of each pair of runs; at least one.
  std::vector<double> log_ratios;
  std::string disturbed_by;  // as keep_fit() says it
};

// Leaves only the pairs of runs that nothing disturbed, where these are enough for a verdict.
// Else all stay, and the text says how many were disturbed: "4 of 6 pairs".
template <class Pair, class IsFit>
std::string keep_fit(std::vector<Pair>& pairs, IsFit is_fit) {
  const auto all = std::ssize(pairs), fit = std::ranges::count_if(pairs, is_fit);
  if (!fit_decide(fit, all)) return std::to_string(all - fit) + " of " + counted(all, "pair");
  std::erase_if(pairs, [&](const Pair& pair) { return !is_fit(pair); });
  return {};
}

// Judges all comparisons of one axis as one family (Holm), in their order; a disturbed one has no
// part in it. Those whose ratio no number holds are left out.
std::vector<EffectRecord> judged_effects(std::vector<ComparedPair> of_axis);

}  // namespace scalemark::reporting
