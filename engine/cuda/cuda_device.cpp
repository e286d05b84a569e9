#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "build_stamp.h"
#include "core/monitoring/host.h"
#include "engine/cuda/cuda_api.h"
#include "engine/cuda/cuda_check.h"
#include "engine/cuda/cuda_graph.h"
#include "engine/cuda/nccl_provider.h"
#include "engine/cuda/nsight.h"
#include "engine/cuda/support.h"
#include "engine/device/quiet_deleter.h"

namespace scalemark::cuda {
namespace {

// Events are made before the window and reused; recording one is a stream operation of a
// microsecond.
class CudaTimeline final : public device::Timeline {
 public:
  CudaTimeline() = default;
  CudaTimeline(const CudaTimeline&) = delete;
  CudaTimeline& operator=(const CudaTimeline&) = delete;
  ~CudaTimeline() override {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);  // at exit an error means nothing
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
  std::unique_ptr<device::Graph> new_graph() override { return make_cuda_graph(); }
  std::unique_ptr<device::OuterProfiler> outer_profiler() override { return make_nsight(); }

  void limit_memory(std::optional<std::uint64_t> bytes) override {
    at::globalContext().lazyInitDevice(c10::kCUDA);  // the allocator knows no devices before
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
    return static_cast<std::uint64_t>(stats.allocated_bytes[0].peak);  // 0: all pools together
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
  GpuFacts facts;
  // Without a driver these fail or answer 0; both mean the same here.
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
  if (const auto reason = reason_unsupported(facts)) throw Error(*reason);
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
