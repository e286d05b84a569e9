// Work of a device that is recorded once and then started as a whole, with one call: a CUDA graph.
#pragma once

#include <functional>

namespace scalemark::device {

class Graph {
 public:
  virtual ~Graph() = default;

  // Records what `work` enqueues on the calling thread's current stream, without doing it; so are
  // the calls of threads that work for it (autograd's). The stream must not be the default one.
  // Call it once. Memory that is taken meanwhile stays the graph's. `work` must not wait for the
  // device, and must have run before, so that nothing in it happens for the first time.
  virtual void capture(const std::function<void()>& work) = 0;

  // Enqueues the recorded work on the current stream. Addresses are those of the capture; random
  // numbers are new each time.
  virtual void replay() = 0;
};

}  // namespace scalemark::device
