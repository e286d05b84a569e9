#include "profiler.h"

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

#include "call.h"
#include "journal.h"

namespace nullcuda {
namespace {

std::vector<ProfilerRange>& all_ranges() {
  static auto& value = *new std::vector<ProfilerRange>;
  return value;
}

bool collects() { return !all_ranges().empty() && !all_ranges().back().journal_end; }

thread_local std::vector<std::string> open_ranges;

int push(const char* name) {
  const Guard guard(lock());
  open_ranges.push_back(open_ranges.empty() ? name : open_ranges.back() + "/" + name);
  if (collects()) ++all_ranges().back().nvtx[open_ranges.back()];
  return static_cast<int>(open_ranges.size()) - 1;
}

int pop() {
  const Guard guard(lock());
  if (open_ranges.empty()) {
    report_violation("nvtxRangePop without a range");
    return -1;
  }
  open_ranges.pop_back();
  return static_cast<int>(open_ranges.size());
}

cudaError_t start() {
  if (collects()) report_violation("cudaProfilerStart twice");
  all_ranges().push_back({.journal_begin = entries().size()});
  return cudaSuccess;
}

cudaError_t stop() {
  if (!collects()) {
    report_violation("cudaProfilerStop without a start");
  } else {
    all_ranges().back().journal_end = entries().size();
  }
  return cudaSuccess;
}

}  // namespace

const std::vector<ProfilerRange>& profiler_ranges() { return all_ranges(); }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaProfilerStart() { return call(start); }
NULLCUDA_API cudaError_t cudaProfilerStop() { return call(stop); }

// CUPTI, which Kineto asks first: no profiler is here. The real one of CUDA 13.2 calls these from
// within each other without end where the driver is none that it knows.
NULLCUDA_API int cuptiGetVersion(std::uint32_t*) {
  constexpr int kNotInitialised = 15;  // CUPTI_ERROR_NOT_INITIALIZED
  return kNotInitialised;
}
NULLCUDA_API int cuptiGetResultString(int, const char** text) {
  *text = "the null device has no CUPTI";
  return 0;
}

// Called by each library's copy of NVTX at its first range.
NULLCUDA_API int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
      size <= NVTX_CBID_CORE_RangePop) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
