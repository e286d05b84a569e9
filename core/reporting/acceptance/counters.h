// Checks of health[]: counters that may not grow, and states that may not be. Private to this
// folder.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/reporting/acceptance/acceptance.h"

namespace scalemark::acceptance {

bool is_of_health(const Rule& rule);

// One start for each session of a report that read the counters of the part. A counter that its
// driver does not give makes no series.
std::vector<Series> read_counters(Metric metric, std::span<const NamedReport> reports);

// Growth counts over all sessions, since an error is not undone; of a state the last look counts.
Judged judge_counters(const Rule& rule, const std::vector<Series>& all);

// The hosts of which any counter was read.
std::set<std::string> watched_hosts(std::span<const NamedReport> reports);

}  // namespace scalemark::acceptance
