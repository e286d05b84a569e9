// The runs of each planned collective, and what their numbers say over repetitions: effects, the
// backends that win, and fits over sizes. Private to the files of this folder.
#pragma once

#include <utility>
#include <vector>

#include "report/judge/collectives/words.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

using CollectiveRuns = RunsByGroup<CollectiveRecord>;
using CollectivePoint = GroupRuns<CollectiveRecord>;

// Points that are alike but for `but`, in the order of their first one.
using Family = std::vector<const CollectivePoint*>;
std::vector<std::pair<Traits, Family>> families_of(const CollectiveRuns& points,
                                                   const std::vector<std::string>& but);

// The parts of summarise_collectives().
std::vector<EffectRecord> collective_effects_of(const CollectiveRuns& points);
std::vector<CollectiveWinners> collective_winners_of(const CollectiveRuns& points);
std::vector<CollectiveFit> collective_fits_of(const CollectiveRuns& points);
// `groups`: of these points, in their order.
std::vector<Finding> findings_of_groups(const CollectiveRuns& points,
                                        const std::vector<CollectiveGroup>& groups);

// Runs that something disturbed give one finding of each kind, over all of them.
std::vector<Finding> findings_of_disturbed_runs(const Report& report);

}  // namespace scalemark::reporting
