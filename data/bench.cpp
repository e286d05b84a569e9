#include "data/bench.h"

#include <time.h>

#include <chrono>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/sampler.h"

namespace scalemark::data {
namespace {

struct EpochCount {
  std::int64_t samples = 0;
  std::vector<SkippedSample> skipped;
};

double process_cpu_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

EpochCount run_epoch(const Dataset& dataset, std::int64_t epoch, const LoaderOptions& options) {
  const SamplerOptions sampler{.dataset_size = dataset.size(), .seed = options.seed};
  Loader loader(dataset, sample_indices(sampler, epoch), epoch, options);
  EpochCount count;
  while (const auto loaded = loader.next()) count.samples += loaded->batch.samples;
  count.skipped = loader.skipped();
  return count;
}

}  // namespace

LoaderBenchResult bench_loader(const Dataset& dataset, const LoaderBenchOptions& options) {
  const EpochCount first = run_epoch(dataset, 0, options.loader);
  if (first.samples == 0) {
    throw configuration("the data set's " + std::to_string(dataset.size()) +
                            " samples do not fill one batch of " +
                            std::to_string(options.loader.batch_size),
                        "a smaller batch_size");
  }
  LoaderBenchResult result{.skipped = first.skipped};
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = process_cpu_seconds();
  do {
    result.samples += run_epoch(dataset, ++result.epochs, options.loader).samples;
    result.wall_s = seconds_since(start);
  } while (result.wall_s < options.min_seconds);
  result.cpu_s = process_cpu_seconds() - cpu_start;
  std::size_t bytes = 0;
  for (const FieldSpec& field : dataset.fields()) bytes += field.bytes_per_sample();
  result.samples_per_sec = static_cast<double>(result.samples) / result.wall_s;
  result.bytes_per_sec = result.samples_per_sec * static_cast<double>(bytes);
  return result;
}

}  // namespace scalemark::data
