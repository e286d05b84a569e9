#include "data/load/loader.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/load/group_decoder.h"

namespace scalemark::data {
namespace {

LoaderOptions checked(LoaderOptions options) {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    if (value >= least) return;
    throw configuration(std::string(name) + " is " + std::to_string(value),
                        std::to_string(least) + " or more");
  };
  at_least("batch_size", options.batch_size, 1);
  at_least("workers", options.workers, 0);
  at_least("batches_ahead", options.batches_ahead, 1);
  if (!options.allocate) options.allocate = allocate_host;
  return options;
}

// Returns how many samples a pass returns without bad ones; kSkip replaces bad ones, so it returns
// as many.
std::int64_t samples_to_return(std::size_t available, const LoaderOptions& options) {
  const auto n = static_cast<std::int64_t>(available);
  return options.drop_short_batch ? n / options.batch_size * options.batch_size : n;
}

// Cuts the batch to `rows` rows, for the last batch under kLeaveOut.
void shorten(HostBatch& batch, std::size_t rows) {
  batch.samples = static_cast<std::int64_t>(rows);
  for (HostField& field : batch.fields) field.shape[0] = batch.samples;
}

void copy_row(const HostBatch& from, std::size_t from_row, const HostBatch& to,
              std::size_t to_row) {
  const auto source = row_of(from, from_row);
  const auto target = row_of(to, to_row);
  for (std::size_t f = 0; f < source.size(); ++f) {
    std::memcpy(target[f].data(), source[f].data(), source[f].size());
  }
}

}  // namespace

// Groups coincide with batches and are returned unchanged until a sample is skipped. From then on
// the rows of `leftover` and of later groups are moved up into new batches.
struct Loader::Impl {
  Impl(const Dataset& d, std::vector<SampledIndex> i, std::int64_t e, LoaderOptions o)
      : dataset(d),
        order(std::move(i)),
        epoch(e),
        options(checked(std::move(o))),
        specs(d.fields()),
        to_return(samples_to_return(order.size(), options)),
        to_decode(to_return),
        decoder(d, options.seed, options.workers) {
    top_up();
  }

  // After the last sample of the order the first follows again, as padding, so that ranks that skip
  // samples return as many batches as the others.
  SampledIndex sample_at(std::size_t place) const {
    SampledIndex sample = order[place % order.size()];
    sample.padding = sample.padding || place >= order.size();
    return sample;
  }

  void top_up() {
    while (to_decode > 0 && decoder.queued() < static_cast<std::size_t>(options.batches_ahead)) {
      std::vector<SampledIndex> samples(
          static_cast<std::size_t>(std::min(options.batch_size, to_decode)));
      for (SampledIndex& sample : samples) sample = sample_at(position++);
      to_decode -= static_cast<std::int64_t>(samples.size());
      decoder.push(std::make_unique<SampleGroup>(
          make_group(specs, std::move(samples), epoch, options.allocate)));
    }
  }

  std::unique_ptr<SampleGroup> take_group() {
    top_up();
    auto group = decoder.take();
    for (std::size_t row = 0; row < group->samples.size(); ++row) {
      if (group->failure[row] != nullptr) {
        skip_or_throw(*group, row);
      } else {
        bad_in_a_row = 0;
      }
    }
    top_up();
    return group;
  }

  void skip_or_throw(const SampleGroup& group, std::size_t row) {
    const auto reason = reason_of_bad_sample(group.failure[row]);
    if (options.on_bad_sample == OnBadSample::kFail || !reason) {
      std::rethrow_exception(group.failure[row]);
    }
    const std::int64_t index = group.samples[row].index;
    if (listed.insert(index).second) {
      skipped.push_back({.name = dataset.name_of(index), .reason = *reason});
    }
    if (options.on_bad_sample == OnBadSample::kLeaveOut) {
      --to_return;
      return;
    }
    ++to_decode;
    if (++bad_in_a_row >= std::min(order.size(), kMostBadInARow)) {
      throw bad_data(std::to_string(bad_in_a_row) +
                         " samples in a row could not be decoded; the last: " + *reason,
                     "good samples to take the place of those that are skipped",
                     "see whether the data are still there");
    }
  }

  // Keeps `leftover`, or sets it to the next group; false when the pass is over.
  bool find_group() {
    if (leftover != nullptr) return true;
    if (to_decode == 0 && decoder.queued() == 0) return false;
    leftover = take_group();
    leftover_row = 0;
    return true;
  }

  std::optional<HostBatch> next_batch() {
    const bool fresh = leftover == nullptr;
    if (!find_group()) return std::nullopt;
    const auto rows = static_cast<std::size_t>(std::min(options.batch_size, to_return));
    if (fresh && leftover->samples.size() == rows && all_good(*leftover)) {
      return std::move(std::exchange(leftover, nullptr)->batch);
    }
    return gather(rows);
  }

  // Under kLeaveOut it may return fewer rows, since bad ones are found only here.
  std::optional<HostBatch> gather(std::size_t rows) {
    if (rows == 0) return std::nullopt;
    HostBatch batch =
        make_group(specs, std::vector<SampledIndex>(rows), epoch, options.allocate).batch;
    std::size_t filled = 0;
    while (filled < rows && find_group()) {
      if (leftover->failure[leftover_row] == nullptr) {
        copy_row(leftover->batch, leftover_row, batch, filled++);
        batch.padding += leftover->samples[leftover_row].padding;
      }
      if (++leftover_row == leftover->samples.size()) leftover = nullptr;
    }
    if (filled == 0) return std::nullopt;
    if (filled < rows) shorten(batch, filled);
    return batch;
  }

  std::optional<HostBatch> next() {
    if (failure != nullptr) std::rethrow_exception(failure);
    if (to_return == 0) return std::nullopt;
    try {
      std::optional<HostBatch> batch = next_batch();
      if (!batch) return std::nullopt;
      to_return -= batch->samples;
      return dataset.collate(std::move(*batch));
    } catch (...) {  // the pass is over, and the next call gives the same answer
      failure = std::current_exception();
      throw;
    }
  }

  const Dataset& dataset;
  const std::vector<SampledIndex> order;
  const std::int64_t epoch;
  const LoaderOptions options;
  const std::vector<FieldSpec> specs;

  std::size_t position = 0;  // sample_at(position) is decoded next
  std::int64_t to_return;    // samples not yet returned
  std::int64_t to_decode;    // samples not yet in a group, replacements of bad ones included
  std::size_t bad_in_a_row = 0;
  std::set<std::int64_t> listed;
  std::vector<SkippedSample> skipped;
  std::unique_ptr<SampleGroup> leftover;
  std::size_t leftover_row = 0;
  std::exception_ptr failure;
  GroupDecoder decoder;  // last, so that its threads end before the other members are destroyed
};

Loader::Loader(const Dataset& dataset, std::vector<SampledIndex> indices, std::int64_t epoch,
               LoaderOptions options)
    : impl_(std::make_unique<Impl>(dataset, std::move(indices), epoch, std::move(options))) {}

Loader::~Loader() = default;

std::optional<LoadedBatch> Loader::next() {
  const auto start = std::chrono::steady_clock::now();
  auto batch = impl_->next();
  if (!batch) return std::nullopt;
  return LoadedBatch{.batch = std::move(*batch), .wait_s = seconds_since(start)};
}

std::vector<SkippedSample> Loader::skipped() const { return impl_->skipped; }

}  // namespace scalemark::data
