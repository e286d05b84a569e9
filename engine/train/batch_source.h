// The training ranks that one process of a point computes train on endless streams of batches:
// cached or fresh synthetic ones, or the epochs of a data set one after another. The data are
// divided among ranks here, since data/ itself knows no ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/launch/world.h"
#include "core/settings/settings.h"
#include "data/load/batch.h"
#include "data/load/dataset.h"
#include "data/load/loader.h"

namespace scalemark::running {

// Batches, seeds, averages and evaluation count the training ranks that a process computes; control
// traffic, stops and watchdogs count processes (process::RankGroup). Pure.
struct TrainingRanks {
  int first = 0, count = 1;  // count 0: a dedicated server, which trains nothing
  int world_size = 1;        // number of training ranks of all processes

  bool serves() const { return count == 0; }

  // Returns the i-th of them alone.
  TrainingRanks one(int i) const {
    return {.first = first + i, .count = 1, .world_size = world_size};
  }
};

// Describes the process of `group`: its rank among the point's processes, and their number. Throws
// bug() where the settings' sizes were resolved for another number of processes.
TrainingRanks training_ranks_of(const settings::Settings& settings, const launching::World& group);

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Returns the next full batch on the host; its wait_s is how long the caller waited.
  virtual data::Batch next() = 0;

  // Makes the next batch the one that follows the first `batches` batches of the stream.
  virtual void seek(std::int64_t batches) = 0;

  virtual std::vector<data::SkippedSample> skipped() const { return {}; }
};

// Returns `batches` in turn, for ever. Make it outside the timed region.
std::unique_ptr<BatchSource> cached_batches(std::vector<data::HostBatch> batches);

// Does the same with the next `count` batches of `source`.
std::unique_ptr<BatchSource> cached_batches(BatchSource& source, int count);

// Joins the batches of several ranks of one process; for one rank, returns its source.
std::unique_ptr<BatchSource> joined_batches(std::vector<std::unique_ptr<BatchSource>> ranks,
                                            bool pinned);

struct SamplingOptions {
  data::LoaderOptions loader;
  TrainingRanks ranks;  // a stream or loader belongs to one of them
  bool pinned = false;  // applies to joined batches of several ranks
  bool drop_last = false;
  std::uint64_t seed = 0;
};

// Appends the samples that `all` does not list yet, since each epoch skips the same files again.
void add_new(std::vector<data::SkippedSample>& all, const std::vector<data::SkippedSample>& more);

// Loads the batches of an epoch in the sampler's order, without the first `dealt` samples of all
// ranks, which are whole batches; one pass.
std::unique_ptr<data::Loader> open_epoch(const data::Dataset& dataset,
                                         const SamplingOptions& options, std::int64_t epoch,
                                         bool shuffle, std::int64_t dealt = 0);

// Returns epoch after epoch without a gap: the next epoch's workers start before the last batch is
// taken. Batches are full; a window of steps continues into the next epoch, so sampler padding is
// dropped. Throws configuration() when one epoch of one rank holds no full batch.
std::unique_ptr<BatchSource> endless_epochs(const data::Dataset& dataset, SamplingOptions options);

// --- Fresh batches are made at each request, inside the timed loop (--synthetic-in-loop on), like
// those of scripts that call torch.randn in each step.

// The values of an integer field: `low` <= value < `end`.
struct ValueRange {
  std::int64_t low = 0, end = 0;
};
using RandomRanges = std::map<std::string, ValueRange>;

// Returns the random fields of a workload's synthetic batches: pixels, labels, tokens. Float fields
// need no range; fields that are not listed (masks, positions) are the same in every batch.
RandomRanges random_ranges(const catalogue::Workload& workload, const catalogue::ModelShape& shape);

// Returns the first seed of a rank's random stream. Ranks' seeds are further apart than any run has
// steps.
std::uint64_t first_seed(const settings::Settings& settings, int rank);

// Returns batches like `example`, which stays alive, with new random fields in new host memory that
// is not pinned: torch's normal and uniform numbers of the CPU, drawn by the calling thread. Batch
// k has the seed `seed` + k. The time that this takes is the batch's wait_s.
std::unique_ptr<BatchSource> fresh_batches(const data::HostBatch& example, RandomRanges ranges,
                                           std::uint64_t seed);

}  // namespace scalemark::running
