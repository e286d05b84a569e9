// A run tells a profiler its named stretches of time on the calling thread, one within the other.
// Knows nothing of steps and their moments: engine/measurement/range_marker.h does.
#pragma once

#include <cstdint>

namespace scalemark::device {

class Ranges {
 public:
  virtual ~Ranges() = default;

  virtual void begin_step(std::int64_t step) = 0;  // counted over the whole run, from 0
  virtual void begin(const char* name) = 0;        // copied
  virtual void end() = 0;                          // of the innermost one
};

// A profiler that was started outside of the program and waits for it: Nsight Systems or Compute.
class OuterProfiler : public Ranges {
 public:
  // It collects from start() to stop(). Both may take seconds.
  virtual void start() = 0;
  virtual void stop() = 0;
};

}  // namespace scalemark::device
