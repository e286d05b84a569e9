// Worker threads that decode groups of samples ahead, rows in parallel, and return them in their
// original order. Knows nothing of epochs or of the handling of bad samples.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "data/load/dataset.h"
#include "data/load/sampler.h"

namespace scalemark::data {

// The loader's unit of memory: consecutive samples of the epoch's order, decoded in parallel into
// one set of buffers. Knows no threads and no order between groups.
struct SampleGroup {
  HostBatch batch;                          // one row per sample
  std::vector<SampledIndex> samples;        // one per row
  std::vector<std::exception_ptr> failure;  // one per row; null when the row is complete
  std::size_t started = 0;                  // rows handed to workers, in order
  std::size_t finished = 0;
  std::size_t expected = 0;  // rows announced to the data set

  bool done() const { return finished == samples.size(); }
};

// Makes buffers for `samples.size()` rows of `specs`; their contents are undefined until
// load_row().
SampleGroup make_group(const std::vector<FieldSpec>& specs, std::vector<SampledIndex> samples,
                       std::int64_t epoch, const HostAllocator& allocate);

// Returns the place of row `row` in each field.
std::vector<std::span<std::byte>> row_of(const HostBatch& batch, std::size_t row);

// Decodes one row; failure[row] keeps the data set's exception.
void load_row(const Dataset& dataset, std::uint64_t seed, SampleGroup& group, std::size_t row);

// Whether every row is complete.
bool all_good(const SampleGroup& group);

// Returns the reason in an Error with exit code 65, which means that this sample is bad but others
// may be good. Empty for any other failure.
std::optional<std::string> reason_of_bad_sample(const std::exception_ptr& failure);

// How many samples ahead of its workers a data set is informed: enough for a disk to have several
// requests at once, and little compared with a batch.
inline constexpr std::size_t kExpectedAhead = 32;

// push(), take() and queued() are for one thread, the owner. The mutex guards the queue and the
// counters of its groups. A row's bytes belong to the worker that took the row until `finished`
// counts it; a finished group belongs to the owner.
class GroupDecoder {
 public:
  // With 0 `workers` take() decodes in the owner's thread.
  GroupDecoder(const Dataset& dataset, std::uint64_t seed, int workers);
  // Returns as soon as each worker has finished its current row.
  ~GroupDecoder();
  GroupDecoder(const GroupDecoder&) = delete;
  GroupDecoder& operator=(const GroupDecoder&) = delete;

  void push(std::unique_ptr<SampleGroup> group);

  // Returns the oldest group, with every row tried. Waits as long as its slowest sample takes; the
  // engine's watchdog ends a run in which that never finishes (a failed network disk).
  std::unique_ptr<SampleGroup> take();

  std::size_t queued() const;

 private:
  void stop();
  void work();
  SampleGroup* group_with_work() const;
  std::vector<std::int64_t> next_expected();

  const Dataset& dataset_;
  const std::uint64_t seed_;
  mutable std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable group_done_;
  std::deque<std::unique_ptr<SampleGroup>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::data
