// countcuda.so: preloaded, it counts what the process asks of the CUDA runtime and passes each call
// on: kernel launches, copies by direction, and every call after which the host has waited for the
// device. Written at exit to $COUNTCUDA_OUTPUT.<pid> as JSON. What cuBLAS and cuDNN launch goes
// past it (they bring a runtime of their own); their entry points are counted instead. No CUDA
// header: the few types are spelled out, so that it builds anywhere.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Dim3 {
  unsigned x, y, z;
};
using Stream = void*;
using Event = void*;

// In the order of kNames.
enum Call : std::size_t {
  kLaunch,
  kGemm,
  kCudnn,
  kMemset,
  kEventRecord,
  kStreamWait,
  kQuery,
  kMalloc,
  kFree,
  kHostAlloc,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kOtherCopy,
  kDeviceSync,
  kStreamSync,
  kEventSync,
  kBlockingCopy,
  kCalls
};
constexpr const char* kNames[kCalls] = {"launches",
                                        "gemms",
                                        "cudnn",
                                        "memsets",
                                        "event_records",
                                        "stream_waits",
                                        "queries",
                                        "mallocs",
                                        "frees",
                                        "host_allocs",
                                        "copies_host_to_device",
                                        "copies_device_to_host",
                                        "copies_device_to_device",
                                        "copies_other",
                                        "device_syncs",
                                        "stream_syncs",
                                        "event_syncs",
                                        "blocking_copies"};
std::atomic<long> counts[kCalls];
std::atomic<long> event_record_ns;  // the host spends it on the marks of a step

// The library after us, or one that was opened without RTLD_GLOBAL, where RTLD_NEXT does not
// search.
void* next_function(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  for (const char* library :
       {"libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcudnn.so.9"}) {
    void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    if (void* found = dlsym(handle, name)) return found;
  }
  std::fprintf(stderr, "countcuda: no library has %s\n", name);
  std::abort();
}

Call copy_of(int kind) {
  switch (kind) {
    case 1:
      return kHostToDevice;
    case 2:
      return kDeviceToHost;
    case 3:
      return kDeviceToDevice;
    default:
      return kOtherCopy;
  }
}

struct Writer {
  ~Writer() {
    const char* path = std::getenv("COUNTCUDA_OUTPUT");
    if (path == nullptr || counts[kLaunch] + counts[kMalloc] == 0)
      return;  // a launcher or a shell has nothing to report
    std::FILE* file = std::fopen((std::string(path) + "." + std::to_string(getpid())).c_str(), "w");
    if (file == nullptr) return;
    for (std::size_t i = 0; i < kCalls; ++i)
      std::fprintf(file, "%s\"%s\": %ld", i ? ", " : "{", kNames[i], counts[i].load());
    std::fprintf(file, ", \"event_record_ns\": %ld}\n", event_record_ns.load());
    std::fclose(file);
  }
} writer;

// Adds the time until the end of a call; nothing for calls that are only counted.
struct Timed {
  explicit Timed(Call call) : recorded(call == kEventRecord) {}
  ~Timed() {
    if (recorded) event_record_ns += std::chrono::nanoseconds(Clock::now() - start).count();
  }

  using Clock = std::chrono::steady_clock;
  bool recorded;
  Clock::time_point start = recorded ? Clock::now() : Clock::time_point();
};

}  // namespace

// One line per function of the runtime: what it counts as, its name, its parameters, and how they
// are passed on.
#define COUNTED(call, name, parameters, arguments)                                      \
  extern "C" int name parameters {                                                      \
    static const auto next = reinterpret_cast<int(*) parameters>(next_function(#name)); \
    ++counts[call];                                                                     \
    const Timed timed(call);                                                            \
    return next arguments;                                                              \
  }

COUNTED(kLaunch, cudaLaunchKernel,
        (const void* f, Dim3 g, Dim3 b, void** a, std::size_t n, Stream s), (f, g, b, a, n, s))
COUNTED(kLaunch, __cudaLaunchKernel, (void* f, Dim3 g, Dim3 b, void** a, std::size_t n, Stream s),
        (f, g, b, a, n, s))
COUNTED(kLaunch, cudaLaunchKernelExC, (const void* config, const void* f, void** a), (config, f, a))
COUNTED(kLaunch, cudaLaunchCooperativeKernel,
        (const void* f, Dim3 g, Dim3 b, void** a, std::size_t n, Stream s), (f, g, b, a, n, s))
COUNTED(kMemset, cudaMemsetAsync, (void* p, int v, std::size_t n, Stream s), (p, v, n, s))
COUNTED(kEventRecord, cudaEventRecord, (Event e, Stream s), (e, s))
COUNTED(kEventRecord, cudaEventRecordWithFlags, (Event e, Stream s, unsigned flags), (e, s, flags))
COUNTED(kStreamWait, cudaStreamWaitEvent, (Stream s, Event e, unsigned flags), (s, e, flags))
COUNTED(kQuery, cudaEventQuery, (Event e), (e))
COUNTED(kQuery, cudaStreamQuery, (Stream s), (s))
COUNTED(kMalloc, cudaMalloc, (void** p, std::size_t n), (p, n))
COUNTED(kFree, cudaFree, (void* p), (p))
COUNTED(kHostAlloc, cudaHostAlloc, (void** p, std::size_t n, unsigned flags), (p, n, flags))
COUNTED(copy_of(kind), cudaMemcpyAsync,
        (void* to, const void* from, std::size_t n, int kind, Stream s), (to, from, n, kind, s))
COUNTED(kDeviceSync, cudaDeviceSynchronize, (), ())
COUNTED(kStreamSync, cudaStreamSynchronize, (Stream s), (s))
COUNTED(kEventSync, cudaEventSynchronize, (Event e), (e))
COUNTED(kBlockingCopy, cudaMemcpy, (void* to, const void* from, std::size_t n, int kind),
        (to, from, n, kind))

// cuBLAS and cuDNN: up to 32 arguments are handed on as words. Only functions without
// floating-point or structure arguments stand here, so that registers and stack hold just words.
#define WORDS10(p) p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7, p##8, p##9
#define TYPED10(p)                                                                        \
  long p##0, long p##1, long p##2, long p##3, long p##4, long p##5, long p##6, long p##7, \
      long p##8, long p##9
#define COUNTED_WORDS(call, name) \
  COUNTED(call, name, (TYPED10(a), TYPED10(b), TYPED10(c)), (WORDS10(a), WORDS10(b), WORDS10(c)))

COUNTED_WORDS(kGemm, cublasSgemm_v2)
COUNTED_WORDS(kGemm, cublasGemmEx)
COUNTED_WORDS(kGemm, cublasSgemmStridedBatched)
COUNTED_WORDS(kGemm, cublasGemmStridedBatchedEx)
COUNTED_WORDS(kGemm, cublasLtMatmul)
COUNTED(kCudnn, cudnnBackendExecute, (void* handle, void* plan, void* pack), (handle, plan, pack))
COUNTED_WORDS(kCudnn, cudnnBatchNormalizationForwardTrainingEx)
COUNTED_WORDS(kCudnn, cudnnBatchNormalizationBackwardEx)
