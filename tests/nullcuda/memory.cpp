#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "call.h"
#include "captures.h"
#include "devices.h"
#include "journal.h"
#include "settings.h"
#include "streams.h"

namespace nullcuda {
namespace {

std::map<std::uintptr_t, Block>& blocks() {
  static auto& value = *new std::map<std::uintptr_t, Block>;
  return value;
}

MemoryInUse used_memory;
std::vector<std::uint64_t>& bytes_of_device() {
  static auto& value =
      *new std::vector<std::uint64_t>(static_cast<std::size_t>(settings().devices));
  return value;
}

constexpr std::size_t kPage = 4096;
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// The address's pages, untouchable, and right behind them those that hold its bytes.
void* map_device(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* pages = map_pages(2 * size);
  if (pages) mprotect(pages, size, PROT_NONE);
  return pages;
}

void add(const Block& block) {
  blocks()[block.begin] = block;
  const bool device = block.place == Place::kDevice;
  if (device) bytes_of_device()[static_cast<std::size_t>(block.device)] += block.bytes;
  (device ? used_memory.device_bytes : used_memory.pinned_bytes) += block.bytes;
  ++(device ? used_memory.device_blocks : used_memory.pinned_blocks);
  used_memory.device_peak = std::max(used_memory.device_peak, used_memory.device_bytes);
  used_memory.pinned_peak = std::max(used_memory.pinned_peak, used_memory.pinned_bytes);
}

void remove(const Block& block) {
  const bool device = block.place == Place::kDevice;
  if (device) bytes_of_device()[static_cast<std::size_t>(block.device)] -= block.bytes;
  (device ? used_memory.device_bytes : used_memory.pinned_bytes) -= block.bytes;
  --(device ? used_memory.device_blocks : used_memory.pinned_blocks);
  const std::size_t size = whole_pages(block.bytes);
  blocks().erase(block.begin);
  munmap(reinterpret_cast<void*>(block.begin), device ? 2 * size : size);
}

// So many were asked for, and the one that failed asked for these bytes.
struct Calls {
  std::uint64_t count = 0;
  std::size_t failed_bytes = 0;
};

// An allocator asks for the same bytes again; other bytes are another allocation.
bool fails(const Fault& fault, Calls& calls, std::size_t bytes) {
  if (++calls.count == fault.first) calls.failed_bytes = bytes;
  return fault.hits(calls.count) && bytes == calls.failed_bytes;
}

cudaError_t allocate(void** pointer, std::size_t bytes, Place place, const Fault& fault,
                     Calls& calls, const char* name) {
  note(Kind::kAllocation, name, bytes);
  *pointer = nullptr;
  if (is_forbidden(name)) return cudaErrorStreamCaptureUnsupported;
  if (fails(fault, calls, bytes)) return cudaErrorMemoryAllocation;
  if (bytes == 0) return cudaSuccess;
  const int device = current_device();
  const bool on_device = place == Place::kDevice;
  const std::uint64_t used = bytes_of_device()[static_cast<std::size_t>(device)];
  if (on_device && bytes > settings().memory_bytes - used) return cudaErrorMemoryAllocation;
  *pointer = on_device ? map_device(bytes) : map_pages(whole_pages(bytes));
  if (!*pointer) return cudaErrorMemoryAllocation;
  add({reinterpret_cast<std::uintptr_t>(*pointer), bytes, place, device});
  return cudaSuccess;
}

cudaError_t release(void* pointer, Place place, const char* name) {
  note(Kind::kAllocation, name);
  if (!pointer) return cudaSuccess;
  if (is_forbidden(name)) return cudaErrorStreamCaptureUnsupported;
  const auto found = blocks().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == blocks().end() || found->second.place != place) {
    report_violation(std::string(name) + " of an address that was not allocated so");
    return cudaErrorInvalidValue;
  }
  finish_all_work();  // freeing waits for the device
  remove(found->second);
  return cudaSuccess;
}

Calls device_calls, unjoined_calls, pinned_calls;

}  // namespace

std::optional<Block> find_block(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto next = blocks().upper_bound(at);
  if (next == blocks().begin()) return std::nullopt;
  const Block& block = std::prev(next)->second;
  return block.holds(at, 1) ? std::optional(block) : std::nullopt;
}

void* host_view(const void* address) {
  const auto block = find_block(address);
  auto at = reinterpret_cast<std::uintptr_t>(address);
  if (block && block->place == Place::kDevice) at += whole_pages(block->bytes);
  return reinterpret_cast<void*>(at);
}

const MemoryInUse& memory_in_use() { return used_memory; }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API void* nullcuda_host_view(const void* address) {
  const Guard guard(lock());
  return host_view(address);
}

NULLCUDA_API cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return call([&] {
    const bool unjoined = has_unjoined_streams() && settings().unjoined.first > 0;
    return allocate(pointer, bytes, Place::kDevice,
                    unjoined ? settings().unjoined : settings().allocation,
                    unjoined ? unjoined_calls : device_calls, "cudaMalloc");
  });
}

NULLCUDA_API cudaError_t cudaFree(void* pointer) {
  return call([&] { return release(pointer, Place::kDevice, "cudaFree"); });
}

NULLCUDA_API cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return call([&] {
    return allocate(pointer, bytes, Place::kPinned, settings().pinned, pinned_calls,
                    "cudaHostAlloc");
  });
}

NULLCUDA_API cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

NULLCUDA_API cudaError_t cudaFreeHost(void* pointer) {
  return call([&] { return release(pointer, Place::kPinned, "cudaFreeHost"); });
}

NULLCUDA_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&] {
    *device = host;
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&] {
    *total = settings().memory_bytes;
    *free = *total - bytes_of_device()[static_cast<std::size_t>(current_device())];
    return cudaSuccess;
  });
}

NULLCUDA_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                  const void* pointer) {
  return call([&] {
    std::memset(attributes, 0, sizeof *attributes);
    const auto block = find_block(pointer);
    attributes->type = !block                           ? cudaMemoryTypeUnregistered
                       : block->place == Place::kDevice ? cudaMemoryTypeDevice
                                                        : cudaMemoryTypeHost;
    attributes->device = block ? block->device : cudaInvalidDeviceId;
    if (block) attributes->devicePointer = const_cast<void*>(pointer);
    if (block && block->place == Place::kPinned) {
      attributes->hostPointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
  });
}
