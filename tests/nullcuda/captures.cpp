#include "captures.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "call.h"
#include "copies.h"

namespace nullcuda {
namespace {

struct Capture {
  unsigned long long id = 0;
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::map<Stream*, Clock> clocks;  // each stream that takes part has one
  std::vector<Node> nodes;
  bool is_void = false;
};

// There is one at a time, so that it can be distinguished from what else a program asks meanwhile.
std::optional<Capture>& current() {
  static auto& value = *new std::optional<Capture>;
  return value;
}
unsigned long long captures = 0;

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
thread_local unsigned long long captured_here = 0;  // the capture that this thread began

Capture* capture_of(Stream& stream) {
  auto& capture = current();
  return capture && capture->clocks.contains(&stream) ? &*capture : nullptr;
}

void refuse_capture(const std::string& what) {
  report_violation(what);
  if (current()) current()->is_void = true;
}

void merge(Clock& into, const Clock& from) {
  for (const auto& [stream, count] : from) into[stream] = std::max(into[stream], count);
}

void add(Capture& capture, Stream& stream, Node node) {
  ++capture.clocks[&stream][&stream];
  capture.nodes.push_back(std::move(node));
}

bool is_work(Kind kind) {
  return kind == Kind::kLaunch || kind == Kind::kCopy || kind == Kind::kMemset;
}

struct Graph {
  std::vector<Node> nodes;
  std::size_t streams = 0;
};

Graph* of(cudaGraph_t graph) { return reinterpret_cast<Graph*>(graph); }
GraphCounts* of(cudaGraphExec_t graph) { return reinterpret_cast<GraphCounts*>(graph); }

std::vector<GraphCounts*>& all_graphs() {
  static auto& value = *new std::vector<GraphCounts*>;
  return value;
}

cudaError_t begin(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Stream* stream = find_stream(handle, "cudaStreamBeginCapture");
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (is_default(*stream)) {
    report_violation("the default stream cannot be captured");
    return cudaErrorStreamCaptureUnsupported;
  }
  if (current()) {
    report_violation("a capture begins within another");
    return cudaErrorStreamCaptureUnsupported;
  }
  current() = Capture{.id = ++captures, .origin = stream, .mode = mode, .clocks = {{stream, {}}}};
  captured_here = captures;
  return cudaSuccess;
}

// Every stream's work must be before the end: waited for by the stream that the capture began on.
bool all_joined(Capture& capture) {
  const Clock& known = capture.clocks.at(capture.origin);
  for (const auto& [stream, clock] : capture.clocks) {
    const auto own = clock.find(stream);
    if (own == clock.end() || stream == capture.origin) continue;
    const auto seen = known.find(stream);
    if (seen == known.end() || seen->second < own->second) return false;
  }
  return true;
}

cudaError_t end(cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  Stream* stream = find_stream(handle, "cudaStreamEndCapture");
  if (!stream || !current() || current()->origin != stream) {
    report_violation("a capture ends on a stream that it did not begin on");
    return cudaErrorIllegalState;
  }
  if (captured_here != current()->id) refuse_capture("a capture ends on another thread");
  if (!all_joined(*current())) refuse_capture("a capture ends before its other streams are joined");
  Capture capture = std::move(*current());
  current().reset();
  captured_here = 0;
  if (capture.is_void) return cudaErrorStreamCaptureInvalidated;
  *graph =
      reinterpret_cast<cudaGraph_t>(new Graph{std::move(capture.nodes), capture.clocks.size()});
  return cudaSuccess;
}

cudaError_t launch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  Stream* stream = find_stream(stream_handle, "cudaGraphLaunch");
  if (!stream) return cudaErrorInvalidResourceHandle;
  note_work(*stream, Kind::kGraph, "cudaGraphLaunch");
  GraphCounts& graph = *of(handle);
  if (graph.destroyed) report_violation("cudaGraphLaunch of a graph that was destroyed");
  ++graph.launches;
  for (const Node& node : graph.nodes) {
    if (!node.copy.to) continue;
    if (stream->try_finish()) {
      do_copy(node.copy);
    } else {
      stream->put(node.copy);
    }
  }
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
  auto* made = new GraphCounts{.nodes = of(graph)->nodes, .streams = of(graph)->streams};
  all_graphs().push_back(made);  // never deleted: it is counted at the end
  *executable = reinterpret_cast<cudaGraphExec_t>(made);
  return cudaSuccess;
}

}  // namespace

bool has_unjoined_streams() { return current() && !all_joined(*current()); }

bool note_work(Stream& stream, Kind kind, const char* name, std::uint64_t bytes,
               const DeferredCopy& copy) {
  if (Capture* capture = capture_of(stream)) {
    add(*capture, stream, {entry_of(kind, name, bytes), copy});
    return true;
  }
  if (current() && is_work(kind)) {
    refuse_capture(std::string("work beside the graph that is being captured: ") + name);
  }
  note(kind, name, bytes, {.stream = &stream});
  return false;
}

void note_library_work(Kind kind, const char* name) {
  auto& capture = current();
  if (!capture) return note(kind, name);
  add(*capture, *capture->origin, {entry_of(kind, name), {}});
}

void check_library_stream(cudaStream_t handle, const char* function) {
  const Guard guard(lock());
  if (!current()) return;
  Stream* stream = find_stream(handle, function);
  if (stream && !capture_of(*stream)) {
    refuse_capture(std::string(function) + " to a stream beside the capture");
  }
}

bool record_captured(Stream& stream, CapturedPoint& point) {
  Capture* capture = capture_of(stream);
  point = capture ? CapturedPoint{capture->id, capture->clocks[&stream]} : CapturedPoint{};
  return capture != nullptr;
}

bool wait_captured(Stream& stream, const CapturedPoint& point, bool is_recorded) {
  auto& capture = current();
  if (point.capture == 0) {
    if (!capture_of(stream)) return false;
    if (is_recorded) refuse_capture("a captured stream waits for an event from outside");
    return true;
  }
  if (!capture || capture->id != point.capture) {
    refuse_capture("a stream waits for an event of a capture that is over");
    return true;
  }
  if (is_default(stream)) {
    refuse_capture("the default stream waits for a captured one");
    return true;
  }
  merge(capture->clocks[&stream], point.clock);  // it takes part from here on
  return true;
}

bool is_forbidden(const char* function) {
  if (!current()) return false;
  const bool own = captured_here == current()->id;
  const bool relaxed = thread_mode == cudaStreamCaptureModeRelaxed ||
                       (own && current()->mode == cudaStreamCaptureModeRelaxed);
  const bool by_another =
      current()->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
  if (relaxed || !(own || by_another)) return false;
  refuse_capture(std::string(function) + " while a stream is captured");
  return true;
}

bool is_endless_wait(const char* function) {
  if (!current()) return false;
  refuse_capture(std::string(function) + " while a stream is captured");
  return true;
}

bool is_forbidden(const CapturedPoint& point, const char* function) {
  if (point.capture == 0) return false;
  refuse_capture(std::string(function) + " of an event that was captured");
  return true;
}

const std::vector<GraphCounts*>& graphs() { return all_graphs(); }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&] { return begin(stream, mode); });
}
NULLCUDA_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&] { return end(stream, graph); });
}
NULLCUDA_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                               cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
NULLCUDA_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                                  cudaStreamCaptureStatus* status,
                                                  unsigned long long* id, cudaGraph_t*,
                                                  const cudaGraphNode_t**,
                                                  const cudaGraphEdgeData**, std::size_t*) {
  return call([&] {
    Stream* stream = find_stream(handle, "cudaStreamGetCaptureInfo");
    if (!stream) return cudaErrorInvalidResourceHandle;
    const Capture* capture = capture_of(*stream);
    *status = !capture           ? cudaStreamCaptureStatusNone
              : capture->is_void ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    if (id) *id = capture ? capture->id : 0;
    return cudaSuccess;
  });
}
NULLCUDA_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}

NULLCUDA_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                           std::size_t* count) {
  return call([&] {
    if (nodes) return cudaErrorNotSupported;
    *count = of(graph)->nodes.size();
    return cudaSuccess;
  });
}
NULLCUDA_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                       cudaGraph_t graph, unsigned long long) {
  return call([&] { return instantiate(executable, graph); });
}
NULLCUDA_API cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return call([&] { return launch(graph, stream); });
}
NULLCUDA_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] {
    delete of(graph);
    return cudaSuccess;
  });
}
NULLCUDA_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return call([&] {
    of(graph)->destroyed = true;
    return cudaSuccess;
  });
}

// For stand-ins of other libraries (NCCL): whether the stream is captured; then `name` is a part of
// the graph.
NULLCUDA_API int nullcuda_capture(void* handle, const char* name) {
  const Guard guard(lock());
  Stream* stream = find_stream(static_cast<cudaStream_t>(handle), "nullcuda_capture");
  if (!stream || !capture_of(*stream)) return 0;
  return note_work(*stream, Kind::kLaunch, name) ? 1 : 0;
}
