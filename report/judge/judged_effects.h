// Comparisons of the values of one axis as records: what core/statistics/compare.h says of the runs
// of points, or of collectives. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/statistics/fastest.h"
#include "report/record/comparison.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

template <class Record>
struct ComparedRuns {
  EffectRecord effect;  // all but the judgement and its words
  std::vector<RunPair<Record>> pairs;
  std::string disturbed_by;  // "4 of 6 pairs", where too few are left that nothing disturbed
};

// Adds `effect`, whose values are `from` and `to`, with the runs of both that ran together; nothing
// where none did. Only the pairs that nothing disturbed stay where these are enough for a verdict,
// else all.
template <class Record>
void add_compared(std::vector<ComparedRuns<Record>>& of_axis, EffectRecord effect,
                  const GroupRuns<Record>& from, const GroupRuns<Record>& to);

// Judges all comparisons of one axis as one family (Holm), in their order; a disturbed one has no
// part in it. Those whose ratio no number holds are left out.
template <class Record>
std::vector<EffectRecord> judged_effects(std::vector<ComparedRuns<Record>> of_axis);

// The runs of one value in a race.
template <class Record>
statistics::BlockRates rates_by_block(const RunsOf<Record>& runs);

}  // namespace scalemark::reporting
