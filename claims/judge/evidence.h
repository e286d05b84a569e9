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
  std::optional<double> low, high;  // 95 %; unset for one run
  int runs = 0;
  std::vector<std::string> groups;
  std::optional<double> base_rate;  // a speed-up's denominator has it: samples per second
  std::string device_name;
  std::int64_t world_size = 1, nodes = 1;
  bool scaled_down = false;
  // The code of the finding that says that too few undisturbed runs are left. There is then no
  // interval, and nothing is decided.
  std::string disturbed_by;
};

// Sets low and high of a ratio of two independent positive numbers by their 95 % intervals; unset
// where one of them has none.
void set_interval(Measured& ratio, const reporting::Bounds& above, const reporting::Bounds& below);

using Reports = std::span<const reporting::Report>;

// Returns the throughput of the group that measured a row's point, with equal network, precision,
// ranks and batch but for what --scale-down changed. Returns nothing where no report holds it, or
// several groups fit.
std::optional<Measured> throughput_of(Reports reports, const published::MappedPoint& point,
                                      const std::string& precision);

// Returns the throughput of `point` divided by that of `base`, from one report: paired where a
// scaling table has it, else from the intervals of both groups as independent.
std::optional<Measured> speedup_of(Reports reports, const published::MappedPoint& point,
                                   const published::MappedPoint& base,
                                   const std::string& precision);

// Returns the ratio of a row's metric between two values of an option ("to" by "from"), from
// effects[] and its groups, at the row's number of GPUs, else at the most ranks. Where --scale-down
// made the option's own values smaller, each stands for the one in its place.
std::optional<Measured> change_of(Reports reports, const published::Row& row,
                                  const published::MappedPoint& point);

// Returns a collective's latency or bandwidth, or the ratio between two backends, or between values
// of congestion, with equal ranks and size: at the row's number of GPUs, else at the most ranks.
std::optional<Measured> collective_of(Reports reports, const published::Row& row);

}  // namespace scalemark::claims
