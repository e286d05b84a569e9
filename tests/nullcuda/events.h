// Events of the null device. Each remembers where the journal stood when it was recorded: what
// happened between two of them can be counted afterwards.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>

#include "captures.h"
#include "memory.h"
#include "streams.h"

namespace nullcuda {

// How much was alive at one moment.
struct Alive {
  std::uint64_t events = 0, streams = 0, device_bytes = 0, pinned_bytes = 0;
};

struct Event {
  int device = 0;
  bool timed = false;
  bool recorded = false;
  Position position;
  CapturedPoint captured;     // set where a capture recorded it
  unsigned queries_left = 0;  // so many queries find it not ready
  std::chrono::steady_clock::time_point time;
  std::size_t journal = 0;  // its number of entries at that moment
  Alive alive;
};

struct EventsInUse {
  std::uint64_t now = 0, peak = 0;
};
const EventsInUse& events_in_use();

}  // namespace nullcuda
