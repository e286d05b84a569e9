#include "engine/cuda/cuda_graph.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include "core/base/error.h"
#include "engine/cuda/cuda_check.h"

namespace scalemark::cuda {
namespace {

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
    } catch (...) {
      give_up();
      throw;
    }
    graph_.capture_end();
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
    }
  }

  at::cuda::CUDAGraph graph_;
  bool captured_ = false;
};

}  // namespace

std::unique_ptr<device::Graph> make_cuda_graph() { return std::make_unique<CudaGraph>(); }

}  // namespace scalemark::cuda
