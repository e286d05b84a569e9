// The CPU as a device: time is steady_clock, memory is the process's resident set.
#pragma once

#include <memory>

#include "engine/device/device.h"

namespace scalemark::device {

std::unique_ptr<Device> make_cpu_device();

}  // namespace scalemark::device
