// Waiting for a key inside the store instead of asking for it again and again: a waiting rank costs
// the one thread that serves the store a few requests a second. Knows no keys.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// Whether the key came within `limit`. Throws what the store throws when it is gone.
bool await_key(c10d::Store& store, const std::string& key, std::chrono::milliseconds limit);

// Several waits with one deadline, interrupted by regular checks (`look`).
class KeyWait {
 public:
  // `limit`: of all waits together, in time that this process runs. `slice`: between two looks.
  KeyWait(c10d::Store& store, std::chrono::milliseconds limit,
          std::chrono::milliseconds slice = kSlice)
      : store_(store), limit_(limit), slice_(slice) {}

  // False: the time is over. `look` is called after each slice in which the key did not come; what
  // it throws ends the wait.
  bool operator()(const std::string& key, const std::function<void()>& look);

  std::chrono::milliseconds waited() { return clock_.elapsed(); }

  static constexpr std::chrono::milliseconds kSlice{1000};

 private:
  c10d::Store& store_;
  std::chrono::milliseconds limit_, slice_;
  AwakeClock clock_;
};

}  // namespace scalemark::distributed
