#include "engine/device/cpu_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "core/base/number_words.h"

namespace scalemark::device {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint8_t kPriority = 200;  // higher than the priority 0 of torch's own allocator

// Larger blocks get their own mapping on huge pages; smaller ones come from glibc's heap.
constexpr std::size_t kMappedFrom = std::size_t{1} << 20;

}  // namespace

// The header in front of the memory that it describes.
struct alignas(kSizeUnit) CpuAllocator::Block {
  CpuAllocator* owner;
  Block* next;             // the next kept block
  std::size_t size_class;  // counts this header, too
  std::size_t bytes;       // the size that the caller requested

  void* data() { return this + 1; }
  static Block* of(void* data) { return static_cast<Block*>(data) - 1; }
};

namespace {

bool is_mapped(std::size_t size) { return size >= kMappedFrom; }

void* from_system(std::size_t size) {
  if (!is_mapped(size)) return std::aligned_alloc(kSizeUnit, size);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Best effort. Fewer page faults; no effect on the step time was measured (DECISIONS.md).
  ::madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

void to_system(void* memory, std::size_t size) {
  if (is_mapped(size)) {
    ::munmap(memory, size);
  } else {
    std::free(memory);
  }
}

}  // namespace

CpuMemoryRefused::CpuMemoryRefused(std::string what, std::uint64_t requested_bytes)
    : c10::OutOfMemoryError(std::move(what)), requested_bytes_(requested_bytes) {}

CpuAllocator::CpuAllocator() : limit_bytes_(kNoLimit) {}

CpuAllocator::~CpuAllocator() { release_cached(); }

c10::DataPtr CpuAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {nullptr, nullptr, &free_memory, c10::kCPU};
  count_live(bytes);
  try {
    const std::size_t size_class = size_class_of(bytes + sizeof(Block));
    Block* block = take_kept(size_class);
    if (block == nullptr) block = take_new(size_class, bytes);
    block->bytes = bytes;
    void* data = block->data();
    return {data, data, &free_memory, c10::kCPU};
  } catch (...) {
    live_bytes_ -= bytes;
    throw;
  }
}

c10::DeleterFnPtr CpuAllocator::raw_deleter() const { return &free_memory; }

void CpuAllocator::copy_data(void* to, const void* from, std::size_t bytes) const {
  default_copy_data(to, from, bytes);
}

// Counts first, so that two threads cannot pass the limit together.
void CpuAllocator::count_live(std::size_t bytes) {
  const std::uint64_t limit = limit_bytes_.load(std::memory_order_relaxed);
  const std::uint64_t before = live_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes > limit || before > limit - bytes || bytes > kLargestRequest - sizeof(Block)) {
    live_bytes_ -= bytes;
    refuse(bytes, limit == kNoLimit ? "the address space"
                                    : "the limit of " + size_text(limit) + " (--memory-limit)");
  }
  std::uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (peak < before + bytes &&
         !peak_bytes_.compare_exchange_weak(peak, before + bytes, std::memory_order_relaxed)) {
  }
}

CpuAllocator::Block* CpuAllocator::take_kept(std::size_t size_class) {
  Bin& bin = bins_[size_class];
  const std::lock_guard lock(bin.mutex);
  Block* block = bin.first;
  if (block != nullptr) bin.first = block->next;
  return block;
}

CpuAllocator::Block* CpuAllocator::take_new(std::size_t size_class, std::size_t bytes) {
  const std::size_t size = bytes_of_size_class(size_class);
  const std::uint64_t reserved = reserved_bytes_.fetch_add(size, std::memory_order_relaxed) + size;
  if (reserved > limit_bytes_.load(std::memory_order_relaxed)) release_cached();
  void* memory = from_system(size);
  if (memory == nullptr) {
    release_cached();
    memory = from_system(size);
  }
  if (memory == nullptr) {
    reserved_bytes_ -= size;
    refuse(bytes, "the system, which has no more");
  }
  return new (memory) Block{.owner = this, .next = nullptr, .size_class = size_class, .bytes = 0};
}

void CpuAllocator::free_memory(void* data) {
  if (data == nullptr) return;
  Block* block = Block::of(data);
  block->owner->put_back(block);
}

void CpuAllocator::put_back(Block* block) {
  live_bytes_.fetch_sub(block->bytes, std::memory_order_relaxed);
  Bin& bin = bins_[block->size_class];
  const std::lock_guard lock(bin.mutex);
  block->next = std::exchange(bin.first, block);
}

void CpuAllocator::release_cached() {
  for (Bin& bin : bins_) {
    Block* block = nullptr;
    {
      const std::lock_guard lock(bin.mutex);
      block = std::exchange(bin.first, nullptr);
    }
    while (block != nullptr) {
      Block* next = block->next;
      const std::size_t size = bytes_of_size_class(block->size_class);
      to_system(block, size);
      reserved_bytes_.fetch_sub(size, std::memory_order_relaxed);
      block = next;
    }
  }
  malloc_trim(0);  // without this, glibc keeps freed memory (engine/process/run_request.h)
}

void CpuAllocator::refuse(std::size_t bytes, const std::string& why) const {
  throw CpuMemoryRefused("CPU memory: " + size_text(bytes) + " more than the " +
                             size_text(live_bytes_.load()) + " in use were refused by " + why,
                         bytes);
}

void CpuAllocator::set_limit(std::optional<std::uint64_t> bytes) {
  limit_bytes_ = bytes.value_or(kNoLimit);
}

CpuMemory CpuAllocator::memory() const {
  return {.live_bytes = live_bytes_, .peak_bytes = peak_bytes_, .reserved_bytes = reserved_bytes_};
}

void CpuAllocator::reset_peak() { peak_bytes_ = live_bytes_.load(); }

CpuAllocator& cpu_allocator() {
  // Never destroyed: torch's own static tensors are freed after everything here.
  static CpuAllocator* const allocator = [] {
    auto* made = new CpuAllocator;
    c10::SetCPUAllocator(made, kPriority);
    return made;
  }();
  return *allocator;
}

}  // namespace scalemark::device
