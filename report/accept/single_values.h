// Judges what needs no repetition: single values against a floor, counts, facts that are to be
// alike, and the counters and states of health[]. Private to this folder.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/accept/acceptance.h"

namespace scalemark::acceptance {

// --- Counters of errors (health[]): what they grew by while a part was measured, and states that a
// driver keeps.

bool is_of_health(const Rule& rule);

// Makes one start for each session of a report that read the counters of the part. A counter that
// its driver does not give makes no series.
std::vector<Series> read_counters(Metric metric, std::span<const NamedReport> reports);

// Growth counts over all sessions, since an error is not undone; of a state the last reading
// counts.
Judged judge_counters(const Rule& rule, const std::vector<Series>& all);

// Returns the hosts that have parts of kind `of` but no counters of them; none where no host has
// any, since then nobody asked. Counters of ports do not stand for those of GPUs.
std::set<std::string> unwatched_hosts(PartKind of, std::span<const NamedReport> reports);

}  // namespace scalemark::acceptance
