#include "data/load/group_decoder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/threads.h"

namespace scalemark::data {

SampleGroup make_group(const std::vector<FieldSpec>& specs, std::vector<SampledIndex> samples,
                       std::int64_t epoch, const HostAllocator& allocate) {
  SampleGroup group;
  const auto rows = samples.size();
  for (const FieldSpec& spec : specs) {
    std::vector<std::int64_t> shape = spec.shape;
    shape.insert(shape.begin(), static_cast<std::int64_t>(rows));
    group.batch.fields.push_back({.name = spec.name,
                                  .dtype = spec.dtype,
                                  .shape = std::move(shape),
                                  .bytes = allocate(rows * spec.bytes_per_sample())});
  }
  group.batch.samples = static_cast<std::int64_t>(rows);
  group.batch.epoch = epoch;
  for (const SampledIndex& sample : samples) group.batch.padding += sample.padding;
  group.failure.resize(rows);
  group.samples = std::move(samples);
  return group;
}

std::vector<std::span<std::byte>> row_of(const HostBatch& batch, std::size_t row) {
  std::vector<std::span<std::byte>> slot;
  slot.reserve(batch.fields.size());
  for (const HostField& field : batch.fields) {
    std::size_t bytes = size_of(field.dtype);
    for (std::size_t d = 1; d < field.shape.size(); ++d) {
      bytes *= static_cast<std::size_t>(field.shape[d]);
    }
    slot.emplace_back(field.bytes.get() + row * bytes, bytes);
  }
  return slot;
}

void load_row(const Dataset& dataset, std::uint64_t seed, SampleGroup& group, std::size_t row) {
  const SampleKey key{.seed = seed, .epoch = group.batch.epoch, .index = group.samples[row].index};
  try {
    dataset.load(key, row_of(group.batch, row));
  } catch (...) {
    group.failure[row] = std::current_exception();
  }
}

bool all_good(const SampleGroup& group) {
  return std::all_of(group.failure.begin(), group.failure.end(),
                     [](const std::exception_ptr& failure) { return failure == nullptr; });
}

std::optional<std::string> reason_of_bad_sample(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.record().exit_code == ExitCode::kBadData) return error.record().what;
  } catch (...) {  // the failure is not the sample's
  }
  return std::nullopt;
}

GroupDecoder::GroupDecoder(const Dataset& dataset, std::uint64_t seed, int workers)
    : dataset_(dataset), seed_(seed) {
  threads_.reserve(static_cast<std::size_t>(workers));
  try {
    for (int w = 0; w < workers; ++w) threads_.emplace_back([this] { work(); });
  } catch (...) {  // no more threads are available, so those that have started are ended
    stop();
    throw;
  }
}

GroupDecoder::~GroupDecoder() { stop(); }

void GroupDecoder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void GroupDecoder::push(std::unique_ptr<SampleGroup> group) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(group));
  }
  work_there_.notify_all();
}

std::unique_ptr<SampleGroup> GroupDecoder::take() {
  std::unique_lock lock(mutex_);
  SampleGroup& front = *queue_.front();
  if (threads_.empty()) {
    for (; !front.done(); ++front.finished) {
      front.started = front.finished + 1;
      for (const std::int64_t index : next_expected()) dataset_.expect(index);
      load_row(dataset_, seed_, front, front.finished);
    }
  }
  wait_until_true(group_done_, lock, [&] { return front.done(); });
  std::unique_ptr<SampleGroup> group = std::move(queue_.front());
  queue_.pop_front();
  return group;
}

std::size_t GroupDecoder::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

SampleGroup* GroupDecoder::group_with_work() const {
  for (const auto& group : queue_) {
    if (group->started < group->samples.size()) return group.get();
  }
  return nullptr;
}

// Returns each sample once, in the order of its turn; mostly one for each that is taken.
std::vector<std::int64_t> GroupDecoder::next_expected() {
  std::vector<std::int64_t> indices;
  std::size_t ahead = 0;
  for (const auto& group : queue_) {
    group->expected = std::max(group->expected, group->started);
    for (; group->expected < group->samples.size(); ++group->expected) {
      if (ahead + group->expected - group->started >= kExpectedAhead) return indices;
      indices.push_back(group->samples[group->expected].index);
    }
    ahead += group->samples.size() - group->started;
  }
  return indices;
}

void GroupDecoder::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    SampleGroup* group = nullptr;
    wait_until_true(work_there_, lock,
                    [&] { return stopping_ || (group = group_with_work()) != nullptr; });
    if (stopping_) return;
    const std::size_t row = group->started++;
    const std::vector<std::int64_t> expected = next_expected();
    lock.unlock();
    for (const std::int64_t index : expected) dataset_.expect(index);
    load_row(dataset_, seed_, *group, row);
    lock.lock();
    if (++group->finished == group->samples.size()) group_done_.notify_one();
  }
}

}  // namespace scalemark::data
