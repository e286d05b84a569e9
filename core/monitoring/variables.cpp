#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/monitoring/environment.h"

namespace scalemark::monitoring {
namespace {

constexpr std::array kPrefixes = {
    "OMP_",        "GOMP_",   "KMP_",   "MKL_",         "OPENBLAS_",
    "ONEDNN_",     "DNNL_",   "NCCL_",  "GLOO_",        "UCX_",
    "TORCH_NCCL_", "CUBLAS_", "CUDNN_", "NVIDIA_TF32_", "PYTORCH_CUDA_ALLOC_",
    "OMPI_MCA_btl"};
constexpr std::array kNames = {"CUDA_VISIBLE_DEVICES",
                               "CUDA_DEVICE_ORDER",
                               "CUDA_LAUNCH_BLOCKING",
                               "CUDA_MODULE_LOADING",
                               "NVIDIA_VISIBLE_DEVICES",
                               "PYTORCH_ALLOC_CONF",
                               "LD_PRELOAD",
                               "LD_LIBRARY_PATH",
                               "MALLOC_ARENA_MAX",
                               "MALLOC_MMAP_THRESHOLD_",
                               "MALLOC_TRIM_THRESHOLD_",
                               "MALLOC_TOP_PAD_",
                               "GLIBC_TUNABLES",
                               "LRU_CACHE_CAPACITY",
                               "ATEN_CPU_CAPABILITY",
                               "WORLD_SIZE",
                               "LOCAL_WORLD_SIZE",
                               "GROUP_WORLD_SIZE",
                               "SLURM_JOB_ID",
                               "SLURM_NNODES",
                               "SLURM_NTASKS",
                               "SLURM_CPUS_PER_TASK",
                               "SLURM_CPU_BIND",
                               "OMPI_COMM_WORLD_SIZE",
                               "PMI_SIZE",
                               "SCALEMARK_TORCH"};
constexpr std::array kSecrets = {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"};

bool allowed(std::string_view name) {
  const bool secret = std::any_of(kSecrets.begin(), kSecrets.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
  if (secret) return false;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::map<std::string, std::string> allowed_variables(std::span<const char* const> environment) {
  std::map<std::string, std::string> variables;
  for (const std::string_view entry : environment) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !allowed(entry.substr(0, equals))) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

std::map<std::string, std::string> allowed_variables() {
  std::size_t count = 0;
  while (environ[count]) ++count;
  return allowed_variables(std::span<const char* const>(environ, count));
}

}  // namespace scalemark::monitoring
