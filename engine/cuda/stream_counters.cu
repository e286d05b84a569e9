#include "engine/cuda/stream_counters.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <map>
#include <mutex>
#include <utility>

namespace scalemark::cuda {
namespace {

constexpr unsigned kStreams = 64;  // of one device; torch has 32 of each priority

// Each device has a copy of its own, 0 when its code is loaded.
__device__ unsigned counters[kStreams][kCountersOfStream];

// By device and stream; a number is never given to another stream of its device.
class Sets {
 public:
  unsigned* find(int device, cudaStream_t stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unsigned*& set = sets_[{device, stream}];
    if (!set) set = next(device);
    return set;
  }

 private:
  unsigned* next(int device) {
    const unsigned number = given_[device]++;
    TORCH_CHECK(number < kStreams, "norms on more than ", kStreams, " streams of one device");
    void* first = nullptr;
    C10_CUDA_CHECK(cudaGetSymbolAddress(&first, counters));
    return static_cast<unsigned*>(first) + number * kCountersOfStream;
  }

  std::mutex mutex_;
  std::map<std::pair<int, cudaStream_t>, unsigned*> sets_;
  std::map<int, unsigned> given_;
};

}  // namespace

unsigned* counters_of(cudaStream_t stream) {
  static Sets sets;
  return sets.find(c10::cuda::current_device(), stream);
}

}  // namespace scalemark::cuda
