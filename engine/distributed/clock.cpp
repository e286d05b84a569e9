#include "engine/distributed/clock.h"

#include <utility>

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

}  // namespace

Clock& real_clock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace scalemark::distributed
