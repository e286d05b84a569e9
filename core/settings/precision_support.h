// Which precisions a device supports, decided from what is known of it. Pure; probes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/settings/closed_words.h"

namespace scalemark::settings {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

struct PrecisionDevice {
  DeviceKind device = DeviceKind::kCpu;
  std::string_view cpu_flags;            // the "flags" line of /proc/cpuinfo; used for cpu only
  std::optional<ComputeCapability> gpu;  // used for cuda only; absent: unknown, refuses nothing
};

// Why `precision` cannot be used on `device`, in words that fit after "precision amp-bf16: "; empty
// when it can. tf32 and bf16 need tensor cores of compute capability 8.0; on a CPU bf16 needs
// avx512_bf16 or amx_bf16 (without them autocast is 5x slower than fp32, docs/METRICS.md), and fp16
// autocast and tf32 are not supported there.
std::optional<std::string> why_unsupported(Precision precision, const PrecisionDevice& device);

}  // namespace scalemark::settings
