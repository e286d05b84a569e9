// A side thread that looks at something again and again. Knows nothing of what it looks at.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace scalemark::distributed {

class Periodic {
 public:
  // Calls `look` after each `period`, until it returns false or this object ends, which waits for a
  // look in progress. `look` must not throw.
  Periodic(std::chrono::milliseconds period, std::function<bool()> look);

 private:
  std::jthread thread_;
};

}  // namespace scalemark::distributed
