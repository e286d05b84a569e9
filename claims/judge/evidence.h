// Finds in reports what a published number is about, with its interval. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "claims/rows/mapping.h"
#include "claims/rows/row.h"
#include "report/record/report.h"

namespace scalemark::claims {

struct Measured {
  double value = 0;
  std::optional<double> low, high;  // 95 %; absent of one run
  int runs = 0;
  std::vector<std::string> groups;
  std::string device_name;
  std::int64_t world_size = 1, nodes = 1;
  bool scaled_down = false;
  // Code of a finding, where too few runs are left that nothing disturbed: then there is no
  // interval, and nothing is decided.
  std::string disturbed_by;
};

// Returns half the width of a 95 % interval of ln of a positive number; absent of one run.
std::optional<double> half_width(const std::optional<double>& low,
                                 const std::optional<double>& high);

// Returns the same of a ratio of two independent numbers.
std::optional<double> together(const std::optional<double>& a, const std::optional<double>& b);

// Sets low and high around the value, where there is a half width.
void set_interval(Measured& measured, const std::optional<double>& half);

using Reports = std::span<const reporting::Report>;

// Returns the throughput of the group that a row's point is: network, precision, ranks and batch
// are alike, but for what --scale-down changed. Absent where no report holds it, or several groups
// fit.
std::optional<Measured> throughput_of(Reports reports, const published::MappedPoint& point,
                                      const std::string& precision);

// Returns the throughput of `point` by that of `base`, both of one report: paired where a scaling
// table has it, else from the intervals of both groups, as independent.
std::optional<Measured> speedup_of(Reports reports, const published::MappedPoint& point,
                                   const published::MappedPoint& base,
                                   const std::string& precision);

// Returns the ratio of a row's metric between two values of an option ("to" by "from"), from
// effects[] and its groups, at the row's number of GPUs, else at the most ranks.
std::optional<Measured> change_of(Reports reports, const published::Row& row,
                                  const published::MappedPoint& point);

// Returns a collective's latency or bandwidth, or its ratio between two backends with equal ranks
// and size.
std::optional<Measured> collective_of(Reports reports, const published::Row& row);

}  // namespace scalemark::claims
