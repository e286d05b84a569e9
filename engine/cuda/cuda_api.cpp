#include "engine/cuda/cuda_api.h"

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "build_stamp.h"
#include "core/base/error.h"
#include "core/machine/gpu_support.h"
#include "core/machine/host.h"
#include "engine/cuda/cuda_check.h"
#include "engine/cuda/nccl_provider.h"
#include "engine/device/device.h"
#include "engine/device/graph.h"
#include "engine/device/torch_defaults.h"
#include "engine/torch/compat.h"

// They are declared as in cuda_profiler_api.h, which the wheels that torch depends on lack.
extern "C" cudaError_t CUDARTAPI cudaProfilerStart();
extern "C" cudaError_t CUDARTAPI cudaProfilerStop();

namespace scalemark::cuda {
namespace {

// abandon() gives up a capture that failed. capture_end() throws without notifying allocator or
// generator where a stream has joined the capture and was not joined back, such as NCCL's when
// memory runs out between two buckets; and the destructor frees only what an ended capture held.
class Captured final : public at::cuda::CUDAGraph {
 public:
  // Undoes what capture_begin() has set up. Else it would last until the process ends: the
  // capture's memory would stay reserved, allocators would ask this graph's filter at each
  // allocation and free no cache, and the generator would refuse every number outside a capture. A
  // part that is undone already throws, which is ignored.
  void abandon() noexcept {
    if (compat::kGivesBackFailedCaptures || capture_ended_) return;
    const auto attempt = [](const auto& call) {
      try {
        call();
      } catch (...) {
        cudaGetLastError();
      }
    };
    compat::end_capture_of(captured_generator_states_);
    auto& host = *at::getHostAllocator(at::kCUDA);
    attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(capture_dev_, mempool_id_); });
    attempt([&] { host.end_allocate_to_pool(mempool_id_); });
    attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(capture_dev_, mempool_id_); });
    attempt([&] { host.release_pool(mempool_id_); });
  }
};

// A graph of the current device, made by ATen's class, which works with torch's allocator and
// random generators.
class CudaGraph final : public device::Graph {
 public:
  void capture(const std::function<void()>& work) override {
    if (captured_) throw bug("a graph is captured twice");
    // Without this, blocks that ordinary steps left in the allocator's cache would lie unused
    // beside the graph's own memory.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    c10::cuda::CUDACachingAllocator::emptyCache();
    compat::register_generator(graph_, at::cuda::detail::getDefaultCUDAGenerator());
    // Meanwhile other threads (a loader's, NCCL's watchdog) may make calls that would end a
    // stricter capture.
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
      graph_.capture_end();
    } catch (...) {
      give_up();
      throw;
    }
    captured_ = true;
  }

  void replay() override { graph_.replay(); }

 private:
  // The stream must stay usable, since a sweep continues after a point that was out of memory. An
  // error here has its cause in the one that is already being reported.
  void give_up() noexcept {
    try {
      graph_.capture_end();
    } catch (...) {
      cudaGetLastError();
      graph_.abandon();
    }
  }

  Captured graph_;
  bool captured_ = false;
};

// Marks a run for Nsight Systems and Nsight Compute: cudaProfilerStart and cudaProfilerStop, and
// NVTX ranges in the default domain. Without a profiler a range costs a few nanoseconds.
class Nsight final : public device::OuterProfiler {
 public:
  void start() override { check(cudaProfilerStart(), "cudaProfilerStart"); }
  void stop() override { check(cudaProfilerStop(), "cudaProfilerStop"); }

  // All steps have the same name, because `nsys stats` adds up by name.
  void begin_step(std::int64_t) override { nvtxRangePushA("step"); }
  void begin(const char* name) override { nvtxRangePushA(name); }
  void end() override { nvtxRangePop(); }
};

// Events are made before the window and reused; recording one is a stream operation of a
// microsecond.
class CudaTimeline final : public device::Timeline {
 public:
  CudaTimeline() = default;
  CudaTimeline(const CudaTimeline&) = delete;
  CudaTimeline& operator=(const CudaTimeline&) = delete;
  ~CudaTimeline() override {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);  // an error at exit means nothing
  }

  void reserve(std::size_t count) override {
    while (events_.size() < count) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    recorded_ = 0;
  }

  void record() override {
    check(cudaEventRecord(events_.at(recorded_), at::cuda::getCurrentCUDAStream()),
          "cudaEventRecord");
    ++recorded_;
  }

  // Sums neighbouring differences: the runtime returns float milliseconds, which over a long window
  // would lose microseconds.
  std::vector<double> seconds() const override {
    std::vector<double> result(recorded_, 0.0);
    for (std::size_t i = 1; i < recorded_; ++i) {
      float ms = 0;
      check(cudaEventElapsedTime(&ms, events_[i - 1], events_[i]), "cudaEventElapsedTime");
      result[i] = result[i - 1] + 1e-3 * static_cast<double>(ms);
    }
    return result;
  }

 private:
  std::vector<cudaEvent_t> events_;
  std::size_t recorded_ = 0;
};

class CudaDevice final : public device::Device {
 public:
  CudaDevice(int index, std::string uuid) : index_(index), uuid_(std::move(uuid)) {
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(index_));
  }

  c10::Device torch_device() const override {
    return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index_));
  }
  std::string name() const override { return "cuda:" + std::to_string(index_); }
  std::string identity() const override { return uuid_; }
  // cuBLAS promises equal bits on GPUs of one architecture with as many multiprocessors (cuBLAS
  // documentation, "Results Reproducibility").
  std::string arithmetic() const override {
    const int count =
        at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index_))->multiProcessorCount;
    return std::to_string(count) + " multiprocessors";
  }

  void synchronize() override { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  std::unique_ptr<device::Timeline> new_timeline() override {
    return std::make_unique<CudaTimeline>();
  }
  std::unique_ptr<device::Graph> new_graph() override { return std::make_unique<CudaGraph>(); }
  std::unique_ptr<device::OuterProfiler> outer_profiler() override {
    return std::make_unique<Nsight>();
  }

  void limit_memory(std::optional<std::uint64_t> bytes) override {
    at::globalContext().lazyInitDevice(c10::kCUDA);  // the allocator knows no devices without it
    const auto all = static_cast<double>(
        at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index_))->totalGlobalMem);
    const double share = bytes ? std::min(1.0, static_cast<double>(*bytes) / all) : 1.0;
    c10::cuda::CUDACachingAllocator::setMemoryFraction(share,
                                                       static_cast<c10::DeviceIndex>(index_));
  }
  void release_cached_memory() override { c10::cuda::CUDACachingAllocator::emptyCache(); }

  void reset_memory_peak() override {
    release_cached_memory();
    c10::cuda::CUDACachingAllocator::resetPeakStats(static_cast<c10::DeviceIndex>(index_));
  }
  std::uint64_t memory_peak_bytes() override {
    const auto stats =
        c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(index_));
    return static_cast<std::uint64_t>(stats.allocated_bytes[0].peak);  // index 0 sums all pools
  }
  std::optional<std::uint64_t> memory_reserved_bytes() override {
    const auto stats =
        c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(index_));
    return static_cast<std::uint64_t>(stats.reserved_bytes[0].peak);
  }

  data::HostAllocator batch_allocator(bool pin_memory) override {
    if (!pin_memory) return data::allocate_host;
    // The caching host allocator frees a block only after the copies that read it have finished.
    return [](std::size_t bytes) {
      auto owner = std::make_shared<c10::DataPtr>(at::getHostAllocator(at::kCUDA)->allocate(bytes));
      device::quieten_deleter(*owner);
      return data::HostBuffer(owner, static_cast<std::byte*>(owner->get()));
    };
  }

 private:
  int index_;
  std::string uuid_;
};

std::unique_ptr<device::Device> make_device(int local_rank) {
  monitoring::GpuFacts facts;
  // Without a driver these calls fail or return 0, which mean the same here.
  if (cudaDriverGetVersion(&facts.driver_cuda_version) != cudaSuccess)
    facts.driver_cuda_version = 0;
  if (facts.driver_cuda_version > 0 && cudaGetDeviceCount(&facts.device_count) != cudaSuccess) {
    facts.device_count = 0;
  }
  cudaDeviceProp properties{};
  const int index = facts.device_count > 0 ? local_rank % facts.device_count : 0;
  if (facts.device_count > 0) {
    check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
    facts.name = properties.name;
    facts.compute_major = properties.major;
    facts.compute_minor = properties.minor;
  }
  if (const auto reason = monitoring::reason_unsupported(facts)) throw Error(*reason);
  std::array<unsigned char, 16> id{};
  std::copy_n(properties.uuid.bytes, id.size(), id.begin());
  return std::make_unique<CudaDevice>(index, monitoring::gpu_uuid(id));
}

}  // namespace

}  // namespace scalemark::cuda

extern "C" const scalemark::cuda::CudaApi* scalemark_cuda_api() {
  static constexpr scalemark::cuda::CudaApi api{
      .stamp = {.abi = scalemark::cuda::kCudaAbi, .git_commit = SCALEMARK_GIT_COMMIT},
      .make_device = scalemark::cuda::make_device,
      .nccl = scalemark::cuda::nccl,
  };
  return &api;
}
