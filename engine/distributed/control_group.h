// The control group: what ranks gather, broadcast and agree on, along a tree over Gloo on the CPU.
// There is one over the whole run, and one inside each point. Knows neither records nor settings.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

#include "core/base/wire.h"
#include "engine/distributed/backend.h"
#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// Counts the collectives that this rank has begun in a group. Every member begins the same ones in
// the same order, so the numbers show which rank has not reached one yet.
class CollectiveCount {
 public:
  explicit CollectiveCount(std::string group) : group_(std::move(group)) {}

  const std::string& group() const { return group_; }

  // Counts one collective of the control traffic as it begins.
  void begin_control() noexcept { control_.fetch_add(1, std::memory_order_relaxed); }

  // Takes back a message of the control traffic that went over the payload's backend, which counts
  // it as a collective.
  void leave_out_message(const c10d::Backend& over) noexcept {
    const std::lock_guard lock(mutex_);
    if (payload_.get() == &over) control_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Adds the payload's collectives, which its backend counts. Null: no more are added; earlier ones
  // stay counted.
  void follow(c10::intrusive_ptr<c10d::Backend> payload) {
    const std::lock_guard lock(mutex_);
    control_.fetch_add(payload_begun(), std::memory_order_relaxed);
    std::swap(payload_, payload);
  }

  // Any thread may call it.
  std::uint64_t begun() const noexcept {
    const std::lock_guard lock(mutex_);
    return control_.load(std::memory_order_relaxed) + payload_begun();
  }

 private:
  std::uint64_t payload_begun() const noexcept try {
    return payload_ ? payload_->getSequenceNumberForGroup() : 0;
  } catch (const std::exception&) {
    return 0;  // the backend does not count
  }

  std::string group_;
  std::atomic<std::uint64_t> control_{0};
  mutable std::mutex mutex_;
  c10::intrusive_ptr<c10d::Backend> payload_;
};

// Collective over the members. Connects the pairs that control traffic needs; they are connected
// when this returns, since a rank that goes away later is noticed by them.
c10::intrusive_ptr<c10d::Backend> connect_control(GroupSpec spec, CollectiveCount& count);

// Returns the members of a group of all ranks.
std::vector<int> all_ranks(int world_size);

// Every call is a collective of its ranks, which must make the same calls in the same order. A call
// throws what translate_collective_error() returns, at the latest after the timeout.
class ControlGroup {
 public:
  // `interface`: see gloo_interface(). `error_store` must outlive the group.
  ControlGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
               std::chrono::milliseconds timeout, const std::string& interface,
               ErrorStore& error_store);
  // `backend`: the connections of a point's members; null where the point has one member.
  // `cause_limit`: how long a failure waits for the cause that a peer may post in the error store.
  ControlGroup(const c10::intrusive_ptr<c10d::Backend>& backend,
               std::shared_ptr<CollectiveCount> count, std::chrono::milliseconds timeout,
               ErrorStore& error_store, std::chrono::milliseconds cause_limit);

  int rank() const { return rank_; }
  int world_size() const { return world_size_; }
  const std::shared_ptr<CollectiveCount>& count() const { return count_; }

  // Returns every rank's bytes in rank order on rank 0, nothing on the others, which may go on
  // before rank 0 has all. The lengths may differ and may be 0.
  std::vector<std::string> gather(const std::string& mine);
  // Returns rank 0's bytes; what the others pass is ignored.
  std::string broadcast(const std::string& from_rank_0);
  // Each value becomes the largest that any rank has at its index, or the sum over the ranks; every
  // rank passes equally many.
  void max_over_ranks(std::vector<double>& values);
  void sum_over_ranks(std::vector<double>& values);
  void barrier();

 private:
  template <class Call>
  auto collective(Call call);

  int rank_;
  int world_size_;
  std::chrono::milliseconds timeout_;
  ErrorStore& error_store_;
  std::chrono::milliseconds cause_limit_ = ErrorStore::kCauseLimit;
  std::shared_ptr<CollectiveCount> count_;
  c10::intrusive_ptr<c10d::Backend> backend_;  // null with one rank
};

// gather() of a record instead of bytes.
template <class Record>
std::vector<Record> gathered(ControlGroup& control, const Record& mine) {
  std::vector<Record> all;
  for (const std::string& bytes : control.gather(to_wire(mine)))
    all.push_back(from_wire<Record>(bytes));
  return all;
}

// Returns to every rank what rank 0 makes of every rank's record.
template <class Record, class Answer>
auto answered(ControlGroup& control, const Record& mine, const Answer& answer) {
  const std::vector<Record> of_ranks = gathered(control, mine);
  return from_wire<decltype(answer(of_ranks))>(
      control.broadcast(control.rank() == 0 ? to_wire(answer(of_ranks)) : ""));
}

}  // namespace scalemark::distributed
