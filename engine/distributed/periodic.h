// A side thread that looks at something again and again. Knows nothing of what it looks at.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/distributed/clock.h"

namespace scalemark::distributed {

class Periodic {
 public:
  // Calls `look` after each `period`, until it returns false or this object ends, which waits for a
  // look in progress. `look` must not throw.
  Periodic(std::chrono::milliseconds period, std::function<bool()> look,
           Clock& clock = real_clock());
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scalemark::distributed
