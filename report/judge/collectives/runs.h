// Sums up the runs of each planned collective over repetitions: effects, the backends that win, and
// fits over sizes. Private to the files of this folder.
#pragma once

#include <utility>
#include <vector>

#include "report/judge/collectives/words.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

using CollectiveRuns = RunsByGroup<CollectiveRecord>;
using CollectivePoint = GroupRuns<CollectiveRecord>;

// Points whose traits are equal, those in `but` left aside. Families come in the order of their
// first points.
using Family = std::vector<const CollectivePoint*>;
std::vector<std::pair<Traits, Family>> families_of(const CollectiveRuns& points,
                                                   const std::vector<std::string>& but);

// The parts of summarise_collectives().
std::vector<EffectRecord> collective_effects_of(const CollectiveRuns& points);
std::vector<CollectiveWinners> collective_winners_of(const CollectiveRuns& points);
std::vector<CollectiveFit> collective_fits_of(const CollectiveRuns& points);
// `groups` are those of `points`, in the same order.
std::vector<Finding> findings_of_groups(const CollectiveRuns& points,
                                        const std::vector<CollectiveGroup>& groups);

// Gives one finding of each kind for all disturbed runs together.
std::vector<Finding> findings_of_disturbed_runs(const Report& report);

}  // namespace scalemark::reporting
