// Memory of the null device. A device address is an inaccessible address of the process: host code
// that reads device memory crashes as it would with a GPU. Each has zero-filled pages that only
// copies reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace nullcuda {

enum class Place { kPageable, kPinned, kDevice };

struct Block {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  Place place = Place::kPageable;
  int device = 0;

  bool holds(std::uintptr_t address, std::size_t count) const {
    return address >= begin && address + count <= begin + bytes;
  }
};

// The block that holds the address; absent: none of ours, ordinary host memory.
std::optional<Block> find_block(const void* address);

// The bytes behind a device address; any other address is returned unchanged.
void* host_view(const void* address);

struct MemoryInUse {
  std::uint64_t device_bytes = 0, pinned_bytes = 0;
  std::uint64_t device_peak = 0, pinned_peak = 0;
  std::uint64_t device_blocks = 0, pinned_blocks = 0;
};
const MemoryInUse& memory_in_use();

}  // namespace nullcuda

// For stand-ins of other libraries (NCCL): the bytes behind a device address.
extern "C" void* nullcuda_host_view(const void* address);
