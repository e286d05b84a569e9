// Batches in the sampler's order, loaded by worker threads ahead of time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/load/dataset.h"
#include "data/load/sampler.h"

namespace scalemark::data {

// The treatment of a sample that cannot be decoded, or whose file is missing.
enum class OnBadSample {
  kFail,      // it ends the pass
  kSkip,      // the next good sample replaces it, so that every rank trains on equally many batches
  kLeaveOut,  // nothing replaces it, since evaluation counts each sample once
};

struct LoaderOptions {
  std::int64_t batch_size = 1;
  int workers = 0;               // 0: the calling thread decodes
  int batches_ahead = 2;         // limit of the queue, in batches
  bool drop_short_batch = true;  // a measured window needs full batches
  OnBadSample on_bad_sample = OnBadSample::kFail;
  std::uint64_t seed = 0;
  HostAllocator allocate;  // empty: allocate_host()
};

// Shuffled data with so many bad samples in a row are not worth training on.
inline constexpr std::size_t kMostBadInARow = 10'000;

struct SkippedSample {
  std::string name;
  std::string reason;
};

struct LoadedBatch {
  HostBatch batch;
  double wait_s = 0;  // time that next() blocked
};

// One pass over one epoch's indices. Its destructor may be called at any moment and ends the
// workers.
class Loader {
 public:
  Loader(const Dataset& dataset, std::vector<SampledIndex> indices, std::int64_t epoch,
         LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Returns the next batch; empty at the end of the epoch. Throws the Error of a bad sample (65)
  // when its batch's turn comes, so that the same sample ends the run for any worker count. Under
  // kSkip it throws (65) when no good sample is left: as many bad samples in a row as the order is
  // long, or kMostBadInARow. Any other failure to load (74: an I/O error) always ends the pass.
  std::optional<LoadedBatch> next();

  // Returns the samples that are missing in the batches so far, under kSkip and kLeaveOut. Under
  // kSkip the next good sample of the epoch's order takes the place, so that batches stay full;
  // after the order's end its beginning follows, counted as padding, so that every rank returns
  // equally many batches. Under kLeaveOut the batches stay full, too, but the last is shorter.
  std::vector<SkippedSample> skipped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scalemark::data
