#include "streams.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <vector>

#include "call.h"
#include "captures.h"
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

// Some hold of some stream has ended.
std::condition_variable_any& released() {
  static auto& value = *new std::condition_variable_any;
  return value;
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

void Stream::put_hold() {
  ++enqueued_;
  queue_.push_back({{}, {}, ++holds_});
}

void Stream::release_hold() {
  ++released_;
  released().notify_all();
}

bool Stream::try_finish(std::uint64_t count) {
  while (done_ < count && !queue_.empty()) {
    const Work work = queue_.front();
    if (work.hold > released_) return false;
    if (work.wait.stream && !work.wait.stream->try_finish(work.wait.count)) return false;
    queue_.pop_front();
    ++done_;
    if (work.copy.to) do_copy(work.copy);
  }
  return true;
}

void Stream::finish(std::uint64_t count) {
  while (!try_finish(count)) released().wait(lock());
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

// While it waits, another thread may make or end streams.
void finish_all_work() {
  std::vector<Stream*> all = streams().defaults;
  all.insert(all.end(), streams().created.begin(), streams().created.end());
  for (Stream* stream : all) stream->finish();
}

bool is_default(const Stream& stream) {
  return std::ranges::find(streams().defaults, &stream) != streams().defaults.end();
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

// For stand-ins of other libraries (NCCL), whose work is done by threads of their own. The return
// value names the stream that is held: the handle of a default stream means that of the calling
// thread's device, and another thread releases it.
NULLCUDA_API void* nullcuda_stream_hold(void* handle) {
  const Guard guard(lock());
  Stream* stream = find_stream(static_cast<cudaStream_t>(handle), "nullcuda_stream_hold");
  if (stream) stream->put_hold();
  return stream;
}
NULLCUDA_API void nullcuda_stream_release(void* held) {
  const Guard guard(lock());
  if (held != nullptr) static_cast<Stream*>(held)->release_hold();
}

NULLCUDA_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call([&] {
    note(Kind::kSync, "cudaStreamSynchronize");
    Stream* stream = find_stream(handle, "cudaStreamSynchronize");
    if (!stream) return cudaErrorInvalidResourceHandle;
    // Torch 2.14 fills a generator's numbers for a graph on another stream, in relaxed mode.
    if (capture_of(*stream) ? is_endless_wait("cudaStreamSynchronize")
                            : is_forbidden("cudaStreamSynchronize")) {
      return cudaErrorStreamCaptureUnsupported;
    }
    stream->finish();
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaDeviceSynchronize() {
  return call([&] {
    note(Kind::kSync, "cudaDeviceSynchronize");
    if (is_endless_wait("cudaDeviceSynchronize")) return cudaErrorStreamCaptureUnsupported;
    finish_all_work();
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call([&] {
    note(Kind::kQuery, "cudaStreamQuery");
    if (is_forbidden("cudaStreamQuery")) return cudaErrorStreamCaptureUnsupported;
    Stream* stream = find_stream(handle, "cudaStreamQuery");
    if (!stream) return cudaErrorInvalidResourceHandle;
    return stream->try_finish() ? cudaSuccess : cudaErrorNotReady;
  });
}

NULLCUDA_API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
