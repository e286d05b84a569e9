#include "data/load/dataset.h"

#include <cstdlib>
#include <new>

#include "core/base/error.h"

namespace scalemark::data {

HostBuffer allocate_host(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return HostBuffer(static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); });
}

const HostField& HostBatch::field(std::string_view name) const {
  for (const HostField& candidate : fields) {
    if (candidate.name == name) return candidate;
  }
  throw bug("the host batch has no field '" + std::string(name) + "'");
}

}  // namespace scalemark::data
