#include "streams.h"

#include <algorithm>
#include <set>
#include <vector>

#include "call.h"
#include "copies.h"
#include "devices.h"
#include "journal.h"
#include "settings.h"

namespace nullcuda {
namespace {

struct Streams {
  std::vector<Stream*> defaults;  // one of each device
  std::set<Stream*> created;
  StreamsInUse in_use;
};

Streams& streams() {
  static Streams& value = *new Streams;
  while (value.defaults.size() < visible_devices().size()) {
    value.defaults.push_back(new Stream(static_cast<int>(value.defaults.size())));
  }
  return value;
}

Stream* default_stream() {
  return streams().defaults.at(static_cast<std::size_t>(current_device()));
}

cudaError_t create(cudaStream_t* handle) {
  auto* stream = new Stream(current_device());
  streams().created.insert(stream);
  StreamsInUse& in_use = streams().in_use;
  in_use.peak = std::max(in_use.peak, ++in_use.now);
  *handle = reinterpret_cast<cudaStream_t>(stream);
  return cudaSuccess;
}

cudaError_t destroy(cudaStream_t handle) {
  Stream* stream = find_stream(handle, "cudaStreamDestroy");
  if (!stream || !streams().created.contains(stream)) return cudaErrorInvalidResourceHandle;
  stream->finish();
  streams().created.erase(stream);  // never deleted: events may name it
  --streams().in_use.now;
  return cudaSuccess;
}

}  // namespace

void Stream::put(const DeferredCopy& copy) {
  ++enqueued_;
  queue_.push_back({copy, {}});
}

void Stream::put_wait(Position other) {
  ++enqueued_;
  queue_.push_back({{}, other});
}

void Stream::finish(std::uint64_t count) {
  while (done_ < count && !queue_.empty()) {
    const Work work = queue_.front();
    queue_.pop_front();
    ++done_;
    if (work.wait.stream) {
      work.wait.stream->finish(work.wait.count);
    } else {
      do_copy(work.copy);
    }
  }
}

Stream* find_stream(cudaStream_t handle, const char* function) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
    return default_stream();
  }
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (streams().created.contains(stream)) return stream;
  report_violation(std::string(function) + " on a stream that does not exist");
  return nullptr;
}

void finish_all_work() {
  for (Stream* stream : streams().defaults) stream->finish();
  for (Stream* stream : streams().created) stream->finish();
}

const StreamsInUse& streams_in_use() { return streams().in_use; }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call([&] { return create(stream); });
}
NULLCUDA_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return call([&] { return create(stream); });
}
NULLCUDA_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return call([&] { return create(stream); });
}
NULLCUDA_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&] { return destroy(stream); });
}

NULLCUDA_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call([&] {
    note(Kind::kSync, "cudaStreamSynchronize");
    Stream* stream = find_stream(handle, "cudaStreamSynchronize");
    if (!stream) return cudaErrorInvalidResourceHandle;
    stream->finish();
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaDeviceSynchronize() {
  return call([&] {
    note(Kind::kSync, "cudaDeviceSynchronize");
    finish_all_work();
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call([&] {
    note(Kind::kQuery, "cudaStreamQuery");
    Stream* stream = find_stream(handle, "cudaStreamQuery");
    if (!stream) return cudaErrorInvalidResourceHandle;
    stream->finish();
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}

// Nothing is ever captured: a graph would need kernels that can be run again.
NULLCUDA_API cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status,
                                                  unsigned long long* id, cudaGraph_t*,
                                                  const cudaGraphNode_t**,
                                                  const cudaGraphEdgeData**, std::size_t*) {
  *status = cudaStreamCaptureStatusNone;
  if (id) *id = 0;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}
