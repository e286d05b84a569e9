// A GPU can do this much at most: dense matrix throughput from NVIDIA's datasheets. Pure data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::reporting {

struct PeakFlops {
  double flops_per_sec;
  std::string source;  // datasheet and number format
};

// `gpu_name` as the driver says it ("NVIDIA H200"), `precision` as in settings (fp32, tf32,
// amp-fp16, amp-bf16). Absent for a GPU that is not in the table, MIG slices among them, and for a
// precision its matrix units lack: an MFU against a guessed peak would be worse than none.
std::optional<PeakFlops> peak_flops(std::string_view gpu_name, std::string_view precision);

}  // namespace scalemark::reporting
