// An endless stream of batches for one rank: cached synthetic ones, or a data set's epochs one
// after another. Applies the rank to the data: data/ itself knows no ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/batch.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "engine/running/training_ranks.h"

namespace scalemark::running {

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // The next full batch on the host; its wait_s is how long the caller waited.
  virtual data::Batch next() = 0;

  // Makes the next batch the one that follows the first `batches` batches of the stream.
  virtual void seek(std::int64_t batches) = 0;

  virtual std::vector<data::SkippedSample> skipped() const { return {}; }
};

// Hands out `batches` in turn, for ever: made outside the timed region.
std::unique_ptr<BatchSource> cached_batches(std::vector<data::HostBatch> batches);

// The same of the next `count` batches of `source`.
std::unique_ptr<BatchSource> cached_batches(BatchSource& source, int count);

// The batches of several ranks of one process, joined. Of one rank: its source.
std::unique_ptr<BatchSource> joined_batches(std::vector<std::unique_ptr<BatchSource>> ranks,
                                            bool pinned);

struct SamplingOptions {
  data::LoaderOptions loader;
  TrainingRanks ranks;  // a stream or loader is of one
  bool pinned = false;  // where batches of several are joined
  bool drop_last = false;
  std::uint64_t seed = 0;
};

// Appends the samples that `all` does not name yet: each epoch skips the same files again.
void add_new(std::vector<data::SkippedSample>& all, const std::vector<data::SkippedSample>& more);

// Batches of an epoch in the sampler's order, without the first `skip_batches`; one pass.
std::unique_ptr<data::Loader> open_epoch(const data::Dataset& dataset,
                                         const SamplingOptions& options, std::int64_t epoch,
                                         bool shuffle, std::int64_t skip_batches = 0);

// Epoch after epoch without a gap: the next epoch's workers start before the last batch is taken.
// Only full batches; a step window runs on into the next epoch, so sampler padding is dropped.
// Throws configuration() when one epoch of one rank holds no full batch.
std::unique_ptr<BatchSource> endless_epochs(const data::Dataset& dataset, SamplingOptions options);

}  // namespace scalemark::running
