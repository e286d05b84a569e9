// The runs of each planned collective, and what their numbers say over repetitions. Private to the
// files of this folder.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/collectives/words.h"
#include "core/reporting/record/collective_records.h"
#include "core/reporting/record/effect_records.h"
#include "core/reporting/record/records.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// One planned point.
struct CollectivePointRuns {
  Traits traits;
  std::vector<const CollectiveRecord*> all;   // not empty
  std::map<int, const CollectiveRecord*> ok;  // by repetition
  const CollectiveRecord& first() const { return *all.front(); }
};

// Picks out of `ok` the runs that nothing disturbed; none where they are fewer than kFitRuns and
// others were.
std::map<int, const CollectiveRecord*> fit_runs(const CollectivePointRuns& point);

// In the order of a report, since the order in which points ran is random: collective, data type,
// ranks, backend in the order of its list, ..., size.
std::vector<CollectivePointRuns> collective_points(std::span<const CollectiveRecord> runs);

// Points that are alike but for `but`, in the order of their first one.
using Family = std::vector<const CollectivePointRuns*>;
std::vector<std::pair<Traits, Family>> families_of(const std::vector<CollectivePointRuns>& points,
                                                   const std::vector<std::string>& but);

// exp(mean ln x +- t s / sqrt(R)) of what every good run has; absent where one lacks it, or where
// it is not above 0.
using NumberOfRun = std::function<std::optional<double>(const CollectiveRecord&)>;
OverRuns over_runs(const CollectivePointRuns& point, const NumberOfRun& number);

// The parts of summarise_collectives().
std::vector<CollectiveGroup> collective_groups_of(const std::vector<CollectivePointRuns>& points);
std::vector<EffectRecord> collective_effects_of(const std::vector<CollectivePointRuns>& points);
std::vector<CollectiveWinners> collective_winners_of(
    const std::vector<CollectivePointRuns>& points);
std::vector<CollectiveFit> collective_fits_of(const std::vector<CollectivePointRuns>& points);
// `groups`: of these points, in their order.
std::vector<Finding> findings_of_groups(const std::vector<CollectivePointRuns>& points,
                                        const std::vector<CollectiveGroup>& groups);

// Runs that something disturbed give one finding of each kind, over all of them.
std::vector<Finding> findings_of_disturbed_runs(const Report& report);

}  // namespace scalemark::reporting
