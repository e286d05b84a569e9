// Runs many pieces of work in several threads, while one thread takes the results in order. Knows
// nothing of what is made.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/threads.h"

namespace scalemark::data::packed {

// Calls make(i) for i in [first, end) on `threads` threads, at most `ahead` results before those
// that were taken, and take(i, result) in order on the calling thread. The exception of the
// earliest i ends the work and is thrown.
template <class Result, class Make, class Take>
class OrderedWork {
 public:
  OrderedWork(std::size_t first, std::size_t end, int threads, Make make, Take take)
      : next_(first),
        end_(end),
        taken_(first),
        slots_(static_cast<std::size_t>(threads) * kAhead),
        make_(std::move(make)),
        take_(std::move(take)) {}

  void run(int threads) {
    std::vector<std::jthread> workers;
    const Stopper stopper{*this};
    for (int t = 0; t < threads; ++t) workers.emplace_back([this] { work(); });
    for (std::size_t i = taken_; i < end_; ++i) take_(i, wait_for(i));
    // Members are destroyed in reverse: the stopper ends the workers, which are then joined.
  }

 private:
  static constexpr std::size_t kAhead = 4;  // results per thread

  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
    bool full = false;
  };
  struct Stopper {
    OrderedWork& work;
    ~Stopper() { work.stop(); }
  };

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      next_ = end_;
    }
    changed_.notify_all();
  }

  // A result may use its slot once the slot's earlier result has been taken.
  std::optional<std::size_t> next_place() {
    std::unique_lock lock(mutex_);
    wait_until_true(changed_, lock,
                    [&] { return next_ >= end_ || next_ < taken_ + slots_.size(); });
    if (next_ >= end_) return std::nullopt;
    return next_++;
  }

  void work() {
    while (const auto i = next_place()) {
      Slot made{.full = true};
      try {
        made.result.emplace(make_(*i));
      } catch (...) {
        made.failure = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        slots_[*i % slots_.size()] = std::move(made);
      }
      changed_.notify_all();
    }
  }

  Result wait_for(std::size_t i) {
    Slot slot;
    {
      std::unique_lock lock(mutex_);
      Slot& place = slots_[i % slots_.size()];
      wait_until_true(changed_, lock, [&] { return place.full; });
      slot = std::exchange(place, Slot{});
      ++taken_;
    }
    changed_.notify_all();
    if (slot.failure != nullptr) std::rethrow_exception(slot.failure);
    return *std::move(slot.result);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_;
  const std::size_t end_;
  std::size_t taken_;
  std::vector<Slot> slots_;
  Make make_;
  Take take_;
};

template <class Result, class Make, class Take>
void make_in_order(std::size_t first, std::size_t end, int threads, Make make, Take take) {
  OrderedWork<Result, Make, Take>(first, end, threads, std::move(make), std::move(take))
      .run(threads);
}

}  // namespace scalemark::data::packed
