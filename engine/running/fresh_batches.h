// Synthetic batches that are made anew whenever one is asked for, inside the timed loop
// (--synthetic-in-loop on), as scripts do that call torch.randn in each step.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "data/host_batch.h"
#include "engine/running/batch_source.h"

namespace scalemark::running {

// Values of a field of whole numbers: from `low` on, below `end`.
struct ValueRange {
  std::int64_t low = 0, end = 0;
};
using RandomRanges = std::map<std::string, ValueRange>;

// The random fields of a workload's synthetic batches: pixels, labels, tokens. Fields of floats are
// random without a range; what is not named (masks, positions) is the same in every batch.
RandomRanges random_ranges(const catalogue::Workload& workload, const catalogue::ModelShape& shape);

// Seeds of ranks' streams of random numbers are as far apart as no run has steps.
std::uint64_t first_seed(const settings::Settings& settings, int rank);

// Batches like `example`, which stays alive, with new random fields in new host memory that is not
// pinned: torch's normal and uniform numbers of the CPU, drawn by the calling thread. Batch k has
// the seed `seed` + k. The time that this takes is the batch's wait_s.
std::unique_ptr<BatchSource> fresh_batches(const data::HostBatch& example, RandomRanges ranges,
                                           std::uint64_t seed);

}  // namespace scalemark::running
