// Collects what a profiler would: the stretches between cudaProfilerStart and cudaProfilerStop, and
// the NVTX ranges that were opened meanwhile. NVTX finds it where NVTX_INJECTION64_PATH names
// libnullcuda.so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nullcuda {

struct ProfilerRange {
  std::size_t journal_begin = 0;
  std::optional<std::size_t> journal_end;     // empty: it was never stopped
  std::map<std::string, std::uint64_t> nvtx;  // "step/forward": how often, by what it lies in
};

// Every caller must hold the lock of the null device.
const std::vector<ProfilerRange>& profiler_ranges();

}  // namespace nullcuda
