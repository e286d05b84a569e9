// The device that a rank computes on, as the engine sees it: what differs between CPU and CUDA and
// nothing else. The CUDA implementation comes from libscalemark_cuda.so; nothing above includes a
// CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "data/host_batch.h"

namespace scalemark::device {

// A recorded moment on the device's compute timeline.
class Mark {
 public:
  virtual ~Mark() = default;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual c10::Device torch_device() const = 0;  // cpu, or cuda:N
  virtual std::string name() const = 0;          // "cpu" | "cuda:0"

  virtual void synchronize() = 0;

  // Marks on the compute timeline: CUDA events on the current stream, or steady_clock on a CPU.
  // Recording never synchronises. seconds_between() may be asked only after synchronize() or when
  // both are ready.
  virtual std::unique_ptr<Mark> new_mark() = 0;
  virtual void record(Mark& mark) = 0;
  virtual bool ready(const Mark& mark) = 0;
  virtual double seconds_between(const Mark& earlier, const Mark& later) = 0;

  // Peak bytes since the last reset: the caching allocator's peak on CUDA, peak RSS of the process
  // on a CPU.
  virtual void reset_memory_peak() = 0;
  virtual std::uint64_t memory_peak_bytes() = 0;

  virtual data::HostAllocator batch_allocator(bool pin_memory) = 0;

  // The communication backend of this device: NCCL on CUDA (or Gloo, when asked), Gloo on a CPU.
  virtual c10::intrusive_ptr<c10d::Backend> make_backend(const std::string& backend,
                                                         c10::intrusive_ptr<c10d::Store> store,
                                                         int rank, int size,
                                                         std::chrono::milliseconds timeout) = 0;
};

std::unique_ptr<Device> make_cpu_device();

}  // namespace scalemark::device
