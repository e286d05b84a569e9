#include "engine/distributed/clock.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/threads.h"

namespace scalemark::distributed {
namespace {

class SteadyClock : public Clock {
 public:
  time_point now() const override { return std::chrono::steady_clock::now(); }
  void sleep_for(milliseconds time) override { std::this_thread::sleep_for(time); }
  bool wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                milliseconds limit, const std::function<bool()>& done) override {
    return changed.wait_for(lock, limit, done);
  }
  std::thread start(std::function<void()> body) override { return std::thread(std::move(body)); }
  void join(std::thread& thread) override { thread.join(); }
  bool stores_may_block() const override { return true; }
};

std::atomic<std::chrono::milliseconds> longest{};

}  // namespace

Clock& real_clock() {
  static SteadyClock clock;
  return clock;
}

void note_stop(std::chrono::milliseconds time) { longest = std::max(longest.load(), time); }

std::chrono::milliseconds longest_stop() { return longest; }

Periodic::Periodic(std::chrono::milliseconds period, std::function<bool()> poll, Clock& clock,
                   bool at_once)
    : clock_(clock), thread_(clock.start([this, period, poll = std::move(poll), at_once] {
        const WatchingThread watching;
        if (at_once && !poll()) return;
        std::unique_lock lock(mutex_);
        while (!clock_.wait_for(woken_, lock, period, [this] { return closing_; })) {
          lock.unlock();
          if (!poll()) return;
          lock.lock();
        }
      })) {}

Periodic::~Periodic() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  woken_.notify_all();
  clock_.join(thread_);
}

}  // namespace scalemark::distributed
