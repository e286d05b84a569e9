// The device that a rank computes on, as the engine sees it: only what differs between CPU and
// CUDA. The CUDA implementation comes from libscalemark_cuda; nothing above includes a CUDA
// header.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/StreamGuard.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/load/dataset.h"
#include "engine/device/graph.h"

namespace scalemark::device {

// Reports a run's named stretches of time to a profiler, on the calling thread, one inside the
// other. Knows nothing of steps and their moments: engine/step/measurement/range_marker.h does.
class Ranges {
 public:
  virtual ~Ranges() = default;

  virtual void begin_step(std::int64_t step) = 0;  // `step` counts over the whole run, from 0.
  virtual void begin(const char* name) = 0;        // `name` is copied.
  virtual void end() = 0;                          // ends the innermost one
};

// A profiler that was started outside the program and waits for it: Nsight Systems or Compute.
class OuterProfiler : public Ranges {
 public:
  // It collects from start() to stop(). Both may take seconds.
  virtual void start() = 0;
  virtual void stop() = 0;
};

// Moments on the device's compute timeline, in the order in which they were recorded: CUDA events
// on the current stream, or steady_clock on a CPU.
class Timeline {
 public:
  virtual ~Timeline() = default;

  // Makes room for `count` moments and discards the earlier ones. Recording more is a bug.
  virtual void reserve(std::size_t count) = 0;

  // Never allocates and never synchronises.
  virtual void record() = 0;

  // Returns the seconds from moment 0 to each moment. The device must have been synchronised since
  // the last moment.
  virtual std::vector<double> seconds() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual c10::Device torch_device() const = 0;  // cpu, or cuda:N
  virtual std::string name() const = 0;          // "cpu" | "cuda:0"
  // Returns a GPU's UUID, which two ranks must not share; "" on a CPU.
  virtual std::string identity() const = 0;

  // Names what the bits of results depend on besides versions of libraries: "AVX512, 4 threads",
  // "132 multiprocessors".
  virtual std::string arithmetic() const = 0;

  virtual void synchronize() = 0;
  virtual std::unique_ptr<Timeline> new_timeline() = 0;

  // Returns null on a CPU, whose work is done when a call returns.
  virtual std::unique_ptr<Graph> new_graph() = 0;

  // Returns null on a CPU, for which there is no such profiler.
  virtual std::unique_ptr<OuterProfiler> outer_profiler() = 0;

  // Returns the peak bytes since the last reset: of the caching allocator on CUDA; on a CPU the
  // process's peak RSS. A reset first releases cached memory.
  virtual void reset_memory_peak() = 0;
  virtual std::uint64_t memory_peak_bytes() = 0;

  // Returns the peak bytes since the last reset that the caching allocator had taken from the GPU,
  // kept memory included. Absent on a CPU.
  virtual std::optional<std::uint64_t> memory_reserved_bytes() = 0;

  // Limits the bytes of tensors from now on; an allocation beyond it throws c10::OutOfMemoryError.
  // Absent: no limit.
  virtual void limit_memory(std::optional<std::uint64_t> bytes) = 0;

  // Gives the cached memory of freed tensors back to the system.
  virtual void release_cached_memory() = 0;

  virtual data::HostAllocator batch_allocator(bool pin_memory) = 0;
};

// While it lives, the work of the calling thread, and of autograd's threads for it, goes to a
// stream of its own. A GPU's default stream cannot be captured into a graph, and tensors, hooks and
// their order belong to the stream on which they were made; so make it before the network.
class OwnStream {
 public:
  // Constructor and destructor wait for the device, since its own stream is not ordered with the
  // default one.
  explicit OwnStream(Device& device);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  Device& device_;
  c10::StreamGuard guard_;
};

// The CPU as a device: time is steady_clock, memory is the process's resident set.
std::unique_ptr<Device> make_cpu_device();

}  // namespace scalemark::device
