// A GPU can do this much at most: dense matrix throughput and memory bandwidth from NVIDIA's
// datasheets. Pure data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::reporting {

struct Peak {
  double per_sec;      // FLOP/s or B/s
  std::string source;  // datasheet, and of FLOP/s the number format
};

// `gpu_name` as the driver says it ("NVIDIA H200"), `precision` as in settings (fp32, tf32,
// amp-fp16, amp-bf16) or as a format of numbers (fp16, bf16). Absent for a GPU that is not in the
// table, MIG slices among them, and for a precision its matrix units lack: an MFU against a guessed
// peak would be worse than none.
std::optional<Peak> peak_flops(std::string_view gpu_name, std::string_view precision);

// Bytes per second of the GPU's memory. Absent for a GPU or a number that is not in the table.
std::optional<Peak> peak_memory_bandwidth(std::string_view gpu_name);

}  // namespace scalemark::reporting
