#include "data/group_decoder.h"

#include <algorithm>
#include <utility>

#include "core/base/threads.h"

namespace scalemark::data {

GroupDecoder::GroupDecoder(const Dataset& dataset, std::uint64_t seed, int workers)
    : dataset_(dataset), seed_(seed) {
  threads_.reserve(static_cast<std::size_t>(workers));
  try {
    for (int w = 0; w < workers; ++w) threads_.emplace_back([this] { work(); });
  } catch (...) {  // no more threads available: end those that started
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

// Each sample once, in the order of their turns; mostly one for one that is taken.
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
