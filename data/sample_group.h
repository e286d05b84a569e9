// The loader's unit of memory: a run of consecutive samples of the epoch's order, decoded in
// parallel into one set of buffers. Knows no threads and no order between groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/sampler.h"

namespace scalemark::data {

struct SampleGroup {
  HostBatch batch;                          // one row per sample
  std::vector<SampledIndex> samples;        // what the rows hold
  std::vector<std::exception_ptr> failure;  // per row; null when the row is completely written
  std::size_t started = 0;                  // rows handed to workers, in order
  std::size_t finished = 0;
  std::size_t expected = 0;  // rows of which the data set has been told

  bool done() const { return finished == samples.size(); }
};

// Buffers for `samples.size()` rows of `specs`; their contents are undefined until load_row().
SampleGroup make_group(const std::vector<FieldSpec>& specs, std::vector<SampledIndex> samples,
                       std::int64_t epoch, const HostAllocator& allocate);

// Where row `row` of each field lies.
std::vector<std::span<std::byte>> row_of(const HostBatch& batch, std::size_t row);

// Decodes one row; what the data set threw is kept in failure[row].
void load_row(const Dataset& dataset, std::uint64_t seed, SampleGroup& group, std::size_t row);

// Every row completely written.
bool all_good(const SampleGroup& group);

// The reason in an Error with exit code 65: this sample is bad, the others may be good. Empty for
// any other failure.
std::optional<std::string> reason_of_bad_sample(const std::exception_ptr& failure);

}  // namespace scalemark::data
