// Work of the calling thread, and of autograd's threads for it, goes to a stream of its own while
// this lives: the default stream of a GPU cannot be captured into a graph, and tensors, hooks and
// their order belong to the stream that they were made on. So it is there before the network is.
#pragma once

#include <c10/core/StreamGuard.h>

#include "engine/device/device.h"

namespace scalemark::device {

class OwnStream {
 public:
  // Both ends wait for the device: a stream of its own is not ordered with the default one.
  explicit OwnStream(Device& device);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  Device& device_;
  c10::StreamGuard guard_;
};

}  // namespace scalemark::device
