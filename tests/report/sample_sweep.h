// A sweep's report, generated from a seed: for the tests of scaling tables and renderers, and for
// viewing. Times follow a simple model; the true values are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/judge/sweep/summary.h"
#include "report/record/report.h"

namespace scalemark::reporting {

struct SweepShape {
  std::uint64_t seed = 1;
  std::vector<int> world_sizes = {1, 2, 4, 8};
  std::vector<std::int64_t> batch_sizes = {64, 128, 256};
  int repetitions = 5;
  int steps = 240;
  double run_noise = 0.004, step_noise = 0.01;  // relative standard deviations
  double drift = 0;                             // relative change of speed over the sweep
  std::optional<int> slow_rank = 5;             // needs 4 % more time, where it takes part
  std::int64_t out_of_memory_from = 512;        // batch per rank
  bool solo = true;                             // a point of independent ranks at the largest size
  bool real_data = true;                        // the largest batch once more, from files
  std::string host = "gpu-node-07";
};

std::vector<PointRecord> sample_sweep_points(const SweepShape& shape);

// The sweep compares batch sizes at each world size.
std::vector<ComparedGroups> sample_comparisons(const SweepShape& shape);

// It has an environment, sessions and everything that summarise_sweep() says.
Report sample_sweep(const SweepShape& shape);

// A report of these points that says what summarise_sweep() does about them.
Report summarised(const std::vector<PointRecord>& points, const SummaryOptions& options = {});

}  // namespace scalemark::reporting
