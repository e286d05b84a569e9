#include "engine/cuda/cuda_graph.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include "core/base/error.h"
#include "engine/cuda/cuda_check.h"

namespace scalemark::cuda {
namespace {

// Where a stream has joined the capture and is not joined again, as NCCL's when memory runs out
// between two buckets, capture_end() throws before it tells anybody, and the destructor gives back
// only what a capture held that has ended.
class Captured final : public at::cuda::CUDAGraph {
 public:
  // The memory of the capture would be reserved until the process ends, allocators would ask this
  // graph's filter at each allocation and free no cache meanwhile, and the generator would refuse
  // every number outside a capture. Each may have been told already: then it throws.
  void abandon() noexcept {
    if (capture_ended_) return;
    const auto attempt = [](const auto& call) {
      try {
        call();
      } catch (...) {
        cudaGetLastError();
      }
    };
    for (auto& entry : captured_generator_states_) entry.first->capturing_ = false;
    auto& host = *at::getHostAllocator(at::kCUDA);
    attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(capture_dev_, mempool_id_); });
    attempt([&] { host.end_allocate_to_pool(mempool_id_); });
    attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(capture_dev_, mempool_id_); });
    attempt([&] { host.release_pool(mempool_id_); });
  }
};

class CudaGraph final : public device::Graph {
 public:
  void capture(const std::function<void()>& work) override {
    if (captured_) throw bug("a graph is captured twice");
    // What ordinary steps have left in the allocator's cache would lie there unused beside the
    // graph's own memory.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    c10::cuda::CUDACachingAllocator::emptyCache();
    graph_.register_generator_state(at::cuda::detail::getDefaultCUDAGenerator());
    // Other threads (a loader's, NCCL's watchdog) may meanwhile ask for what would end a capture.
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
  // The stream stays usable, for a sweep goes on after a point that was out of memory. What fails
  // here has its cause in what is being reported already.
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

}  // namespace

std::unique_ptr<device::Graph> make_cuda_graph() { return std::make_unique<CudaGraph>(); }

}  // namespace scalemark::cuda
