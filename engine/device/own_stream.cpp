#include "engine/device/own_stream.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <map>

namespace scalemark::device {
namespace {

// One for each device and the whole process: libraries keep a workspace for every stream that they
// have seen.
c10::Stream own_stream_of(c10::Device place) {
  static std::map<c10::DeviceIndex, c10::Stream> streams;
  const auto found = streams.find(place.index());
  if (found != streams.end()) return found->second;
  const c10::Stream made = c10::impl::VirtualGuardImpl(place.type()).getNewStream(place);
  return streams.emplace(place.index(), made).first->second;
}

}  // namespace

OwnStream::OwnStream(Device& device)
    : device_(device), guard_(own_stream_of(device.torch_device())) {
  device_.synchronize();
}

OwnStream::~OwnStream() {
  try {
    device_.synchronize();
  } catch (...) {  // a failed GPU is reported elsewhere
  }
}

}  // namespace scalemark::device
