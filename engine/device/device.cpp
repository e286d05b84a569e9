#include "engine/device/device.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "core/base/text.h"
#include "core/machine/process_reading.h"
#include "engine/device/cpu_allocator.h"

namespace scalemark::device {
namespace {

// Returns the same stream for a device throughout the process, since libraries keep a workspace for
// every stream that they have seen.
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

namespace {

class CpuTimeline final : public Timeline {
 public:
  void reserve(std::size_t count) override {
    moments_.clear();
    moments_.reserve(count);
  }

  void record() override { moments_.push_back(std::chrono::steady_clock::now()); }

  std::vector<double> seconds() const override {
    std::vector<double> result;
    result.reserve(moments_.size());
    for (const auto moment : moments_) {
      result.push_back(std::chrono::duration<double>(moment - moments_.front()).count());
    }
    return result;
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> moments_;
};

class CpuDevice final : public Device {
 public:
  c10::Device torch_device() const override { return c10::Device(c10::kCPU); }
  std::string name() const override { return "cpu"; }
  std::string identity() const override { return {}; }

  std::string arithmetic() const override {
    const int threads = at::get_num_threads();
    return at::get_cpu_capability() + ", " + counted(threads, "thread");
  }

  void synchronize() override {}  // a CPU operator has finished when it returns
  std::unique_ptr<Timeline> new_timeline() override { return std::make_unique<CpuTimeline>(); }
  std::unique_ptr<Graph> new_graph() override { return nullptr; }
  std::unique_ptr<OuterProfiler> outer_profiler() override { return nullptr; }

  void reset_memory_peak() override {
    release_cached_memory();
    cpu_allocator().reset_peak();
    monitoring::reset_peak_rss();
  }
  std::uint64_t memory_peak_bytes() override { return monitoring::peak_rss_bytes(); }
  std::optional<std::uint64_t> memory_reserved_bytes() override { return std::nullopt; }

  void limit_memory(std::optional<std::uint64_t> bytes) override {
    cpu_allocator().set_limit(bytes);
  }
  void release_cached_memory() override { cpu_allocator().release_cached(); }

  // Batches use the tensors' allocator, so that they are counted and limited like tensors. The
  // loader calls it on the thread that asks for the next batch, so that a refusal is thrown there.
  data::HostAllocator batch_allocator(bool) override {
    return [](std::size_t bytes) -> data::HostBuffer {
      auto memory =
          std::make_shared<c10::DataPtr>(cpu_allocator().allocate(std::max<std::size_t>(1, bytes)));
      return {memory, static_cast<std::byte*>(memory->get())};
    };
  }
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace scalemark::device
