// Makes records that compare the values of one axis, from what core/statistics/compare.h finds for
// the runs of points or of collectives. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/statistics/fastest.h"
#include "report/record/comparison.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

template <class Record>
struct ComparedRuns {
  EffectRecord effect;  // complete but for the judgement and its words
  std::vector<RunPair<Record>> pairs;
  std::string disturbed_by;  // "4 of 6 pairs": too few undisturbed ones are left
};

// Adds `effect`, whose values are `from` and `to`, with the pairs of runs that ran together; adds
// nothing where none did. Keeps only undisturbed pairs where they are enough for a verdict, else
// all.
template <class Record>
void add_compared(std::vector<ComparedRuns<Record>>& of_axis, EffectRecord effect,
                  const GroupRuns<Record>& from, const GroupRuns<Record>& to);

// Judges all comparisons of one axis as one family (Holm), in their order, without the disturbed
// ones. Leaves out comparisons whose ratio is not a finite number.
template <class Record>
std::vector<EffectRecord> judged_effects(std::vector<ComparedRuns<Record>> of_axis);

// Returns the rates of one value's runs by block, for the search of --tune.
template <class Record>
statistics::BlockRates rates_by_block(const RunsOf<Record>& runs);

}  // namespace scalemark::reporting
