#include "core/machine/gpu_support.h"

#include <utility>

namespace scalemark::monitoring {
namespace {

constexpr int kNeededDriverCuda = 13000;
constexpr int kNeededComputeCapability = 75;

ErrorRecord refusal(std::string code, std::string what, std::string expected, std::string hint) {
  return {.code = std::move(code),
          .exit_code = ExitCode::kSystem,
          .domain = ErrorDomain::kHardware,
          .what = std::move(what),
          .expected = std::move(expected),
          .hint = std::move(hint)};
}

}  // namespace

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::optional<ErrorRecord> reason_unsupported(const GpuFacts& facts, CodeInBuild build) {
  if (facts.driver_cuda_version == 0) {
    return refusal("E_NO_DRIVER", "no NVIDIA driver is loaded on this machine",
                   "--device cuda needs one",
                   "install a driver of branch 580 or newer, or use --device cpu");
  }
  if (facts.driver_cuda_version < kNeededDriverCuda) {
    return refusal(
        "E_DRIVER_TOO_OLD",
        "the NVIDIA driver supports CUDA up to " + cuda_version_text(facts.driver_cuda_version),
        "this build needs CUDA 13.0 (driver branch 580 or newer)",
        "update the driver, or use --device cpu");
  }
  if (facts.device_count == 0) {
    return refusal("E_NO_GPU", "the driver is loaded but shows no GPU", "--device cuda needs one",
                   "check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
  }
  if (facts.compute_major * 10 + facts.compute_minor < kNeededComputeCapability) {
    return refusal("E_GPU_TOO_OLD",
                   "GPU '" + facts.name + "' has compute capability " +
                       std::to_string(facts.compute_major) + "." +
                       std::to_string(facts.compute_minor),
                   "CUDA 13 runs on 7.5 (Turing) and newer", "use a newer GPU, or --device cpu");
  }
  const auto usable = for_driver(build, facts.driver_cuda_version);
  const auto code = gpu_code_for(facts.compute_major, facts.compute_minor, usable);
  const bool newer_driver_would_do =
      gpu_code_for(facts.compute_major, facts.compute_minor, build).use != CodeUse::kNone;
  if (code.use == CodeUse::kNone && newer_driver_would_do) {
    return refusal("E_DRIVER_TOO_OLD",
                   "the NVIDIA driver supports CUDA up to " +
                       cuda_version_text(facts.driver_cuda_version) +
                       " and compiles no code of this build for GPU '" + facts.name + "'",
                   "that needs CUDA " + cuda_version_text(build.ptx_cuda),
                   "update the driver, use a torch of CUDA " +
                       cuda_version_text(facts.driver_cuda_version) + ", or --device cpu");
  }
  if (code.use == CodeUse::kNone) {
    return refusal(
        "E_GPU_CODE",
        "GPU '" + facts.name + "' has compute capability " + std::to_string(facts.compute_major) +
            "." + std::to_string(facts.compute_minor) + ", code for it: " + in_words(code, usable),
        "code for this GPU or an older one of its generation",
        "build on a machine with such a GPU or with cmake -DSCALEMARK_GPU_CODE=all, or "
        "use --device cpu");
  }
  return std::nullopt;
}

}  // namespace scalemark::monitoring
