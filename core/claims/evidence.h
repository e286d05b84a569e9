// Where a report holds what a published number is about. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/claims/measured.h"
#include "core/published/mapping.h"
#include "core/published/row.h"
#include "core/reporting/record/report.h"

namespace scalemark::claims {

using Reports = std::span<const reporting::Report>;

// The throughput of the group that a row's run is: network, precision, ranks and batch alike, but
// for what --scale-down changed. Absent where no report holds it, or several groups fit.
std::optional<Measured> throughput_of(Reports reports, const published::Mapped& run,
                                      const std::string& precision);

// Throughput of `run` by that of `base`, both of one report: paired where a scaling table has it,
// else from the intervals of both groups, as independent.
std::optional<Measured> speedup_of(Reports reports, const published::Mapped& run,
                                   const published::Mapped& base, const std::string& precision);

// The ratio of a row's metric between two values of an option ("to" by "from"), from effects[] and
// its groups; at the row's number of GPUs, else at the most ranks.
std::optional<Measured> change_of(Reports reports, const published::Row& row,
                                  const published::Mapped& run);

// A collective's latency or bandwidth, or its ratio between two backends with equal ranks and size.
std::optional<Measured> collective_of(Reports reports, const published::Row& row);

}  // namespace scalemark::claims
