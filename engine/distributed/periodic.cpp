#include "engine/distributed/periodic.h"

#include <utility>

#include "core/base/threads.h"

namespace scalemark::distributed {

Periodic::Periodic(std::chrono::milliseconds period, std::function<bool()> look, Clock& clock)
    : clock_(clock), thread_(clock.start([this, period, look = std::move(look)] {
        const WatchingThread watching;
        std::unique_lock lock(mutex_);
        while (!clock_.wait_for(woken_, lock, period, [this] { return closing_; })) {
          lock.unlock();
          if (!look()) return;
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
