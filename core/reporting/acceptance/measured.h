// Reads one metric of the parts of a fleet from its reports: the values of each part, in the order
// in which their processes were started. Pure; judges nothing.
#pragma once

#include <span>
#include <vector>

#include "core/reporting/acceptance/rules.h"
#include "core/reporting/acceptance/series.h"
#include "core/reporting/record/report.h"

namespace scalemark::acceptance {

using reporting::NamedReport;

// Reads `rule.metric` where `rule.where` fits. `reports` are in the order of time. Parts in the
// order in which they come first.
std::vector<Series> read_series(const Rule& rule, std::span<const NamedReport> reports);

// Every node of the reports, and the name that the scheduler gives it.
std::vector<Part> nodes_of(std::span<const NamedReport> reports);

}  // namespace scalemark::acceptance
