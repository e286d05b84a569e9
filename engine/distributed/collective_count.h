// How many collectives this rank has begun in a group. Every member begins the same ones in the
// same order, so the numbers show which rank has not reached one yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>

namespace scalemark::distributed {

class CollectiveCount {
 public:
  explicit CollectiveCount(std::string group) : group_(std::move(group)) {}

  const std::string& group() const { return group_; }

  // Counts one collective of the control traffic, as it begins.
  void begin_control() noexcept { control_.fetch_add(1, std::memory_order_relaxed); }

  // Adds the payload's, which its backend counts. Null: no more; earlier ones stay counted.
  void follow(c10::intrusive_ptr<c10d::Backend> payload) {
    const std::lock_guard lock(mutex_);
    control_.fetch_add(payload_begun(), std::memory_order_relaxed);
    std::swap(payload_, payload);
  }

  // From any thread.
  std::uint64_t begun() const noexcept {
    const std::lock_guard lock(mutex_);
    return control_.load(std::memory_order_relaxed) + payload_begun();
  }

 private:
  std::uint64_t payload_begun() const noexcept try {
    return payload_ ? payload_->getSequenceNumberForGroup() : 0;
  } catch (const std::exception&) {
    return 0;  // a backend that does not count
  }

  std::string group_;
  std::atomic<std::uint64_t> control_{0};
  mutable std::mutex mutex_;
  c10::intrusive_ptr<c10d::Backend> payload_;
};

}  // namespace scalemark::distributed
