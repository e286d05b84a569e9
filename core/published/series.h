// Published rows that differ only in how many GPUs took part: a scaling series. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/published/row.h"

namespace scalemark::published {

struct SeriesPoint {
  std::string id;
  std::int64_t gpus = 0, nodes = 1;  // 1 node where the source does not say
  double throughput = 0;
};

struct Series {
  std::string repo, name;
  std::vector<SeriesPoint> points;  // by GPUs, each count once
};

// Rows with a throughput, equal in source, table, framework, system, workload, phase, sequence
// length, precision, batch per GPU, data, unit and scaling label. Left out: groups of fewer than
// `at_least` counts, and groups in which a count occurs twice (such rows differ in something that
// only their notes say). In the order of the first row of each.
std::vector<Series> scaling_series(std::span<const Row> rows, std::size_t at_least);

}  // namespace scalemark::published
