// How fast a data set is loaded: `scalemark data bench`. Knows no networks and prints nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"
#include "data/loader.h"

namespace scalemark::data {

struct LoaderBenchOptions {
  LoaderOptions loader;
  double min_seconds = 2.0;  // whole epochs until this is reached
};

struct LoaderBenchResult {
  std::int64_t samples = 0;
  std::int64_t epochs = 0;
  double wall_s = 0;
  double cpu_s = 0;  // of all threads of the process meanwhile
  double samples_per_sec = 0;
  double bytes_per_sec = 0;            // of batches made, not of files read
  std::vector<SkippedSample> skipped;  // of the first epoch
};

// One epoch to warm the file cache, then whole epochs in the order of the sampler (rank 0 of 1).
LoaderBenchResult bench_loader(const Dataset& dataset, const LoaderBenchOptions& options);

}  // namespace scalemark::data
