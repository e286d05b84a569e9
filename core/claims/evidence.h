// Where a report holds what a published number is about. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/published/mapping.h"
#include "core/published/row.h"
#include "core/reporting/record/report.h"

namespace scalemark::claims {

struct Measured {
  double value = 0;
  std::optional<double> low, high;  // 95 %; absent of one run
  int runs = 0;
  std::vector<std::string> groups;
  std::string device_name, precision;
  std::int64_t world_size = 1;
  bool scaled_down = false;
  bool disturbed = false;  // too few runs are left that nothing disturbed: no interval
};

using Reports = std::span<const reporting::Report>;

// The throughput of the group that a row's run is: network, precision, ranks and batch alike.
// Absent where no report holds it.
std::optional<Measured> throughput_of(Reports reports, const published::Mapped& run);

// Throughput of `run` by that of `base`: paired where a scaling table has it, else from the
// intervals of both groups, as independent.
std::optional<Measured> speedup_of(Reports reports, const published::Mapped& run,
                                   const published::Mapped& base);

// The ratio of a row's metric between two values of an option, from effects[] and its groups.
// `unit_ratio`: of "to" by "from".
std::optional<Measured> change_of(Reports reports, const published::Row& row);

// A collective's latency or bandwidth, or its ratio between two backends.
std::optional<Measured> collective_of(Reports reports, const published::Row& row);

}  // namespace scalemark::claims
