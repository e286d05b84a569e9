#include "engine/distributed/periodic.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace scalemark::distributed {

Periodic::Periodic(std::chrono::milliseconds period, std::function<bool()> look)
    : thread_([period, look = std::move(look)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any woken;
        std::unique_lock lock(mutex);
        while (!woken.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) {
          if (!look()) return;
        }
      }) {}

}  // namespace scalemark::distributed
