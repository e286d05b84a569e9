// Work of a device that is recorded once and then started as a whole, with one call: a CUDA graph.
#pragma once

#include <functional>

namespace scalemark::device {

class Graph {
 public:
  virtual ~Graph() = default;

  // Records what `work` asks of the calling thread's current stream, which must not be the default
  // one, instead of doing it; of threads that work for it (autograd's), too. Once. Memory that is
  // taken meanwhile stays the graph's. `work` must not wait for the device, and must have been done
  // before, so that nothing in it happens for the first time.
  virtual void capture(const std::function<void()>& work) = 0;

  // Enqueues all of it on the current stream. Addresses are those of the capture; random numbers
  // are new ones each time.
  virtual void replay() = 0;
};

}  // namespace scalemark::device
