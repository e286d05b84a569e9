// Batches in the sampler's order, made by worker threads ahead of time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/sampler.h"

namespace scalemark::data {

enum class OnBadSample { kFail, kSkip };

struct LoaderOptions {
  std::int64_t batch_size = 1;
  int workers = 0;               // 0: the calling thread decodes
  int batches_ahead = 2;         // bound of the queue, in batches
  bool drop_short_batch = true;  // a measured window holds full batches only
  OnBadSample on_bad_sample = OnBadSample::kFail;
  std::uint64_t seed = 0;
  HostAllocator allocate;  // empty: allocate_host
};

struct SkippedSample {
  std::string name;
  std::string reason;
};

struct LoadedBatch {
  HostBatch batch;
  double wait_s = 0;  // how long next() blocked
};

// One pass over one epoch's indices. Destroying it ends the workers, at any moment.
class Loader {
 public:
  Loader(const Dataset& dataset, std::vector<SampledIndex> indices, std::int64_t epoch,
         LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch; empty at the end of the epoch. Throws the Error of a bad sample (65) when its
  // batch's turn comes, so that the same sample ends the run whatever the worker count.
  std::optional<LoadedBatch> next();

  // Under kSkip: what has been left out of the batches returned so far. A skipped sample's place is
  // taken by the next good sample of the epoch's order, so that batches stay full; after the
  // order's end its start follows, counted as padding, so that every rank returns equally many
  // batches.
  std::vector<SkippedSample> skipped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scalemark::data
