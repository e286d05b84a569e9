#include "copies.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "call.h"
#include "captures.h"
#include "journal.h"
#include "memory.h"
#include "settings.h"
#include "streams.h"

namespace nullcuda {
namespace {

// The null kernels move no data, and copies within the device move no more bytes than this.
constexpr std::size_t kMovedWithinDevice = 64 << 10;
// Up to here the runtime takes a copy of pageable memory and returns (CUDA Runtime API, "API
// synchronization behavior").
constexpr std::size_t kStagedAtOnce = 64 << 10;
// Bytes that a copy to the host has not delivered yet read as this: NaN in every floating type.
constexpr int kNotYetThere = 0xff;

std::uint64_t checksum(const void* data, std::size_t bytes) {
  std::uint64_t sum = 1469598103934665603u;
  const auto* at = static_cast<const unsigned char*>(data);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = (sum ^ word) * 1099511628211u;
  }
  for (; bytes > 0; ++at, --bytes) sum = (sum ^ *at) * 1099511628211u;
  return sum;
}

struct Ends {
  Place to, from;
};

bool inside(const void* address, std::size_t bytes) {
  const auto block = find_block(address);
  return !block || block->holds(reinterpret_cast<std::uintptr_t>(address), bytes);
}

Place place_of(const void* address) {
  const auto block = find_block(address);
  return block ? block->place : Place::kPageable;
}

const char* direction_of(const Ends& ends) {
  const bool to = ends.to == Place::kDevice, from = ends.from == Place::kDevice;
  return to ? (from ? "device_to_device" : "host_to_device")
            : (from ? "device_to_host" : "host_to_host");
}

bool kind_fits(const Ends& ends, cudaMemcpyKind kind) {
  const bool to = ends.to == Place::kDevice, from = ends.from == Place::kDevice;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to && !from;
    case cudaMemcpyHostToDevice:
      return to && !from;
    case cudaMemcpyDeviceToHost:
      return !to && from;
    case cudaMemcpyDeviceToDevice:
      return to && from;
    default:
      return true;
  }
}

// The ends of a copy that may be done; reports one that may not.
bool is_sound(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (!inside(to, bytes) || !inside(from, bytes)) {
    report_violation("a copy reaches beyond the memory that was allocated");
    return false;
  }
  if (!kind_fits({place_of(to), place_of(from)}, kind)) {
    report_violation("a copy's direction is not where its addresses are");
    return false;
  }
  return true;
}

// Whether the host waits for this one although it was asked not to.
bool waits_for_host_memory(const Ends& ends, std::size_t bytes) {
  if (ends.to == Place::kPageable && ends.from == Place::kDevice) return true;
  return ends.from == Place::kPageable && ends.to == Place::kDevice && bytes > kStagedAtOnce;
}

cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (!is_sound(to, from, bytes, kind)) return cudaErrorInvalidValue;
  note(Kind::kCopy, direction_of({place_of(to), place_of(from)}), bytes);
  do_copy({to, from, bytes});
  return cudaSuccess;
}

// One to be done later, which finds out whether pinned memory was changed until then.
DeferredCopy later(void* to, const void* from, std::size_t bytes, const Ends& ends) {
  DeferredCopy copy{to, from, bytes};
  if (ends.from == Place::kPinned) {
    copy.watch_source = true;
    copy.source_checksum = checksum(from, bytes);
  }
  return copy;
}

void defer(Stream& stream, void* to, const void* from, std::size_t bytes, const Ends& ends) {
  const DeferredCopy copy = later(to, from, bytes, ends);
  if (ends.to == Place::kPinned) std::memset(to, kNotYetThere, bytes);
  stream.put(copy);
}

// A graph may copy pinned memory which holds at each launch what it held when it was captured:
// torch gives its own to the graph's pool.
bool may_be_captured(const Ends& ends) {
  return ends.to == Place::kDevice && ends.from != Place::kPageable;
}

cudaError_t copy_async(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t handle) {
  Stream* stream = find_stream(handle, "cudaMemcpyAsync");
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (!is_sound(to, from, bytes, kind)) return cudaErrorInvalidValue;
  const Ends ends{place_of(to), place_of(from)};
  if (note_work(*stream, Kind::kCopy, direction_of(ends), bytes, later(to, from, bytes, ends))) {
    if (!may_be_captured(ends)) {
      report_violation("a graph copies memory of the host, whatever it holds at each launch");
    }
    return cudaSuccess;
  }
  if (waits_for_host_memory(ends, bytes)) note(Kind::kSync, "cudaMemcpyAsync, pageable memory");
  const bool pageable = ends.to == Place::kPageable || ends.from == Place::kPageable;
  const bool pinned = ends.to == Place::kPinned || ends.from == Place::kPinned;
  const bool is_held = !stream->try_finish();
  if ((settings().deferred_copies && pinned) || (is_held && !pageable)) {
    defer(*stream, to, from, bytes, ends);
    return cudaSuccess;
  }
  if (waits_for_host_memory(ends, bytes)) stream->finish();
  do_copy({to, from, bytes});
  return cudaSuccess;
}

cudaError_t set(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  Stream* stream = find_stream(handle, "cudaMemset");
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (place_of(to) != Place::kDevice || !inside(to, bytes)) {
    report_violation("a memset reaches beyond the memory that was allocated");
    return cudaErrorInvalidValue;
  }
  if (note_work(*stream, Kind::kMemset, "memset", bytes)) return cudaSuccess;
  std::memset(host_view(to), value, std::min(bytes, kMovedWithinDevice));
  return cudaSuccess;
}

}  // namespace

void do_copy(const DeferredCopy& copy) {
  if (copy.watch_source && place_of(copy.from) != Place::kPinned) {
    report_violation("pinned memory was freed before its copy to the device was done");
    return;
  }
  if (copy.watch_source && checksum(copy.from, copy.bytes) != copy.source_checksum) {
    report_violation("pinned memory was changed before its copy to the device was done");
  }
  const bool within = place_of(copy.to) == Place::kDevice && place_of(copy.from) == Place::kDevice;
  const std::size_t bytes = within ? std::min(copy.bytes, kMovedWithinDevice) : copy.bytes;
  std::memmove(host_view(copy.to), host_view(copy.from), bytes);
}

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                                    cudaMemcpyKind kind) {
  return call([&] {
    note(Kind::kSync, "cudaMemcpy");
    if (is_endless_wait("cudaMemcpy")) return cudaErrorStreamCaptureUnsupported;
    finish_all_work();
    return bytes == 0 ? cudaSuccess : copy_now(to, from, bytes, kind);
  });
}

NULLCUDA_API cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] { return copy_async(to, from, bytes, kind, stream); });
}

NULLCUDA_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int,
                                             std::size_t bytes, cudaStream_t stream) {
  return call([&] { return copy_async(to, from, bytes, cudaMemcpyDeviceToDevice, stream); });
}

NULLCUDA_API cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return call([&] { return set(to, value, bytes, nullptr); });
}

NULLCUDA_API cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes,
                                         cudaStream_t stream) {
  return call([&] { return set(to, value, bytes, stream); });
}
