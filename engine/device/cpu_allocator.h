// Allocates the memory of CPU tensors: keeps freed blocks for the next step, counts bytes, and
// refuses requests beyond a limit, which Linux never does. Knows nothing of ranks, points or
// settings.
//
// It counts the memory of tensors and of batches from the loader, but not libraries' own buffers
// (oneDNN's scratch memory, messages in Gloo).
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace scalemark::device {

// Blocks have few sizes, so that a freed one fits a later request of about its size: multiples of
// 64 bytes up to 512, then eight sizes for each doubling. So a block is at most 63 bytes or an
// eighth larger than the request.
inline constexpr std::size_t kSizeUnit = 64;
inline constexpr std::size_t kSizesPerDoubling = 8;
inline constexpr std::size_t kLargestRequest = std::size_t{1} << 48;  // bytes of the address space
inline constexpr std::size_t kSizeClasses = 320;                      // enough for kLargestRequest

// The smallest class whose blocks hold `bytes`; 0 < bytes <= kLargestRequest.
constexpr std::size_t size_class_of(std::size_t bytes) {
  const std::size_t units = (bytes + kSizeUnit - 1) / kSizeUnit;
  if (units <= kSizesPerDoubling) return units - 1;
  const auto shift = static_cast<std::size_t>(std::bit_width(units - 1)) - 4;
  const std::size_t steps = ((units - 1) >> shift) + 1;  // 9..16 times 2^shift units
  return shift * kSizesPerDoubling + steps - 1;
}

constexpr std::size_t bytes_of_size_class(std::size_t size_class) {
  if (size_class < kSizesPerDoubling) return (size_class + 1) * kSizeUnit;
  const std::size_t shift = size_class / kSizesPerDoubling - 1;
  const std::size_t steps = size_class % kSizesPerDoubling + kSizesPerDoubling + 1;
  return (steps << shift) * kSizeUnit;
}

// Is thrown for a request that a limit or the system refused.
class CpuMemoryRefused final : public c10::OutOfMemoryError {
 public:
  CpuMemoryRefused(std::string what, std::uint64_t requested_bytes);
  std::uint64_t requested_bytes() const { return requested_bytes_; }

 private:
  std::uint64_t requested_bytes_;
};

struct CpuMemory {
  std::uint64_t live_bytes = 0;      // counts blocks in use, as requested
  std::uint64_t peak_bytes = 0;      // the highest live_bytes since reset_peak()
  std::uint64_t reserved_bytes = 0;  // taken from the system: in use or kept, rounded up
};

// Thread-safe. A block is 64-byte aligned. Any thread may free it.
class CpuAllocator final : public c10::Allocator {
 public:
  CpuAllocator();
  ~CpuAllocator() override;  // blocks that are still in use then are never freed

  // Throws CpuMemoryRefused when live_bytes would exceed the limit, or when the system has no
  // memory left even after release_cached(). Zero bytes give a null pointer.
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  // Nothing: no limit. The limit also bounds the kept blocks, which go back to the system before
  // reserved_bytes exceeds it. A limit below live_bytes refuses every request until enough is
  // freed.
  void set_limit(std::optional<std::uint64_t> bytes);

  // Gives every kept block back to the system.
  void release_cached();

  CpuMemory memory() const;
  // The peak becomes live_bytes.
  void reset_peak();

 private:
  struct Block;
  struct Bin {
    std::mutex mutex;
    Block* first = nullptr;
  };

  static void free_memory(void* data);
  void put_back(Block* block);
  Block* take_kept(std::size_t size_class);
  Block* take_new(std::size_t size_class, std::size_t bytes);
  void count_live(std::size_t bytes);
  [[noreturn]] void refuse(std::size_t bytes, const std::string& why) const;

  std::array<Bin, kSizeClasses> bins_;
  std::atomic<std::uint64_t> live_bytes_{0}, peak_bytes_{0}, reserved_bytes_{0};
  std::atomic<std::uint64_t> limit_bytes_;
};

// Returns the allocator of this process's CPU tensors, which is never destroyed. The first call
// installs it, and must precede the first tensor that is to be counted.
CpuAllocator& cpu_allocator();

}  // namespace scalemark::device
