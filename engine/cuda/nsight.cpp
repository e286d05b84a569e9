#include "engine/cuda/nsight.h"

#include <nvtx3/nvToolsExt.h>

#include "engine/cuda/cuda_check.h"

// As in cuda_profiler_api.h, which the wheels that torch depends on lack.
extern "C" cudaError_t CUDARTAPI cudaProfilerStart();
extern "C" cudaError_t CUDARTAPI cudaProfilerStop();

namespace scalemark::cuda {
namespace {

class Nsight final : public device::OuterProfiler {
 public:
  void start() override { check(cudaProfilerStart(), "cudaProfilerStart"); }
  void stop() override { check(cudaProfilerStop(), "cudaProfilerStop"); }

  // Equal names: `nsys stats` adds up by name.
  void begin_step(std::int64_t) override { nvtxRangePushA("step"); }
  void begin(const char* name) override { nvtxRangePushA(name); }
  void end() override { nvtxRangePop(); }
};

}  // namespace

std::unique_ptr<device::OuterProfiler> make_nsight() { return std::make_unique<Nsight>(); }

}  // namespace scalemark::cuda
