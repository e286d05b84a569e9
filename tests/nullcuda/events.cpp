#include "events.h"

#include <algorithm>
#include <set>
#include <string>

#include "call.h"
#include "devices.h"
#include "journal.h"
#include "settings.h"
#include "windows.h"

namespace nullcuda {
namespace {

std::set<Event*>& existing() {
  static auto& value = *new std::set<Event*>;
  return value;
}

EventsInUse used_events;

Event* find(cudaEvent_t handle, const char* function) {
  auto* event = reinterpret_cast<Event*>(handle);
  if (existing().contains(event)) return event;
  report_violation(std::string(function) + " of an event that does not exist");
  return nullptr;
}

cudaError_t create(cudaEvent_t* handle, unsigned flags) {
  auto* event =
      new Event{.device = current_device(), .timed = (flags & cudaEventDisableTiming) == 0};
  existing().insert(event);
  used_events.peak = std::max(used_events.peak, ++used_events.now);
  *handle = reinterpret_cast<cudaEvent_t>(event);
  return cudaSuccess;
}

cudaError_t destroy(cudaEvent_t handle) {
  Event* event = find(handle, "cudaEventDestroy");
  if (!event) return cudaErrorInvalidResourceHandle;
  existing().erase(event);
  --used_events.now;
  delete event;
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle) {
  Event* event = find(handle, "cudaEventRecord");
  Stream* stream = find_stream(stream_handle, "cudaEventRecord");
  if (!event || !stream) return cudaErrorInvalidResourceHandle;
  if (event->device != stream->device()) {
    report_violation("cudaEventRecord of an event on another device's stream");
    return cudaErrorInvalidResourceHandle;
  }
  if (record_captured(*stream, event->captured)) return cudaSuccess;
  note(Kind::kRecord, event->timed ? "timed" : "untimed", 0, {stream, event});
  event->recorded = true;
  event->position = stream->now();
  event->queries_left = settings().late_queries;
  event->time = std::chrono::steady_clock::now();
  event->journal = entries().size();
  event->alive = {used_events.now, streams_in_use().now, memory_in_use().device_bytes,
                  memory_in_use().pinned_bytes};
  return cudaSuccess;
}

bool is_done(const Event& event) {
  return !event.position.stream || event.position.stream->try_finish(event.position.count);
}

// While it waits, another thread may end the event.
void finish_up_to(Event event) {
  if (event.position.stream) event.position.stream->finish(event.position.count);
}

cudaError_t query(cudaEvent_t handle) {
  note(Kind::kQuery, "cudaEventQuery");
  Event* event = find(handle, "cudaEventQuery");
  if (!event) return cudaErrorInvalidResourceHandle;
  if (is_forbidden("cudaEventQuery")) return cudaErrorStreamCaptureUnsupported;
  if (is_forbidden(event->captured, "cudaEventQuery")) return cudaErrorCapturedEvent;
  if (event->queries_left > 0) {
    --event->queries_left;
    return cudaErrorNotReady;
  }
  return is_done(*event) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t synchronize(cudaEvent_t handle) {
  note(Kind::kSync, "cudaEventSynchronize");
  Event* event = find(handle, "cudaEventSynchronize");
  if (!event) return cudaErrorInvalidResourceHandle;
  if (is_endless_wait("cudaEventSynchronize")) return cudaErrorStreamCaptureUnsupported;
  if (is_forbidden(event->captured, "cudaEventSynchronize")) return cudaErrorCapturedEvent;
  event->queries_left = 0;
  finish_up_to(*event);
  return cudaSuccess;
}

cudaError_t wait(cudaStream_t stream_handle, cudaEvent_t handle) {
  Stream* stream = find_stream(stream_handle, "cudaStreamWaitEvent");
  Event* event = find(handle, "cudaStreamWaitEvent");
  if (!stream || !event) return cudaErrorInvalidResourceHandle;
  if (wait_captured(*stream, event->captured, event->recorded)) return cudaSuccess;
  note(Kind::kWait, event->recorded ? "recorded event" : "unrecorded event", 0, {stream, event});
  if (event->recorded) stream->put_wait(event->position);
  return cudaSuccess;
}

cudaError_t elapsed(float* ms, cudaEvent_t from_handle, cudaEvent_t to_handle) {
  Event* from = find(from_handle, "cudaEventElapsedTime");
  Event* to = find(to_handle, "cudaEventElapsedTime");
  if (!from || !to) return cudaErrorInvalidResourceHandle;
  if (is_forbidden(from->captured, "cudaEventElapsedTime") ||
      is_forbidden(to->captured, "cudaEventElapsedTime")) {
    return cudaErrorCapturedEvent;
  }
  if (!from->recorded || !to->recorded || !from->timed || !to->timed) {
    report_violation("cudaEventElapsedTime of an event without a time");
    return cudaErrorInvalidResourceHandle;
  }
  if (!is_done(*from) || !is_done(*to)) return cudaErrorNotReady;
  const std::chrono::duration<double> seconds = to->time - from->time;
  *ms = static_cast<float>(1e3 * seconds.count());
  note_elapsed(*from, *to, seconds.count());
  return cudaSuccess;
}

}  // namespace

const EventsInUse& events_in_use() { return used_events; }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call([&] { return create(event, cudaEventDefault); });
}
NULLCUDA_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&] { return create(event, flags); });
}
NULLCUDA_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&] { return destroy(event); });
}
NULLCUDA_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&] { return record(event, stream); });
}
NULLCUDA_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                                  unsigned) {
  return call([&] { return record(event, stream); });
}
NULLCUDA_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&] { return query(event); });
}
NULLCUDA_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&] { return synchronize(event); });
}
NULLCUDA_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&] { return wait(stream, event); });
}
NULLCUDA_API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  return call([&] { return elapsed(ms, from, to); });
}
