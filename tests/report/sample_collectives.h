// A report of collectives, generated from a seed: for the tests of what is said of them and of
// renderers, and for viewing. Times follow alpha + bytes / bandwidth; the true values are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

struct CollectivesShape {
  std::uint64_t seed = 1;
  int repetitions = 5;
  double noise = 0.01;  // relative standard deviation of a run
  std::vector<std::string> backends = {"gloo", "mpi"};
  std::string host = "gpu-node-07";
};

// Time of a call without noise: gloo 100 us + bytes at 2 GB/s, mpi 2 us + bytes at 1 GB/s; fp16 and
// bf16 have half the bytes per element and no other cost.
double true_time_s(const std::string& backend, std::int64_t bytes);

// All-reduce of 1 KiB to 4 MiB, fp32 and bf16, in place and (fp32) out of place, on two ranks, a
// barrier, and a broadcast that cannot run over mpi.
std::vector<CollectiveRecord> sample_collective_runs(const CollectivesShape& shape);

// It has an environment, a link and everything that summarise_collectives() says.
Report sample_collectives(const CollectivesShape& shape = {});

}  // namespace scalemark::reporting
