// The CPU as a device: time is steady_clock, memory is the process's resident set.
#pragma once

#include <functional>
#include <memory>

#include "engine/device/device.h"

namespace scalemark::device {

// Makes a Gloo backend; engine/distributed knows how, this room does not.
using GlooMaker = std::function<c10::intrusive_ptr<c10d::Backend>(
    c10::intrusive_ptr<c10d::Store> store, int rank, int size, std::chrono::milliseconds timeout)>;

std::unique_ptr<Device> make_cpu_device(GlooMaker make_gloo);

}  // namespace scalemark::device
