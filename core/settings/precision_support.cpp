#include "core/settings/precision_support.h"

#include <sstream>

namespace scalemark::settings {
namespace {

bool has_flag(std::string_view flags, std::string_view wanted) {
  std::istringstream words{std::string(flags)};
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

std::optional<std::string> why_unsupported_on_cpu(Precision precision, std::string_view flags) {
  if (precision == Precision::kTf32) return "tf32 exists on GPUs only; use fp32 on a CPU";
  if (precision == Precision::kAmpFp16)
    return "amp-fp16 is for GPUs; use fp32 or amp-bf16 on a CPU";
  if (precision == Precision::kAmpBf16 && !has_flag(flags, "avx512_bf16") &&
      !has_flag(flags, "amx_bf16")) {
    return "this CPU has neither avx512_bf16 nor amx_bf16, and would run slower than in fp32; use "
           "fp32 here";
  }
  return std::nullopt;
}

std::optional<std::string> why_unsupported_on_cuda(Precision precision,
                                                   std::optional<ComputeCapability> gpu) {
  const bool needs_ampere = precision == Precision::kTf32 || precision == Precision::kAmpBf16;
  if (!needs_ampere || !gpu || gpu->major >= 8) return std::nullopt;
  return "needs a GPU of compute capability 8.0, this one has " + std::to_string(gpu->major) + "." +
         std::to_string(gpu->minor);
}

}  // namespace

std::optional<std::string> why_unsupported(Precision precision, const PrecisionDevice& device) {
  if (device.device == DeviceKind::kCpu) return why_unsupported_on_cpu(precision, device.cpu_flags);
  return why_unsupported_on_cuda(precision, device.gpu);
}

}  // namespace scalemark::settings
