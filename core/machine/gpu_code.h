// This build holds GPU code that cmake/ScalemarkCuda.cmake chose; a GPU of a compute capability
// runs it as gpu_code_for() says. Asks no driver.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace scalemark::monitoring {

// Compute capabilities as 10 x major + minor: 90 is 9.0.
struct CodeInBuild {
  std::span<const int> sass;  // machine code
  std::span<const int> ptx;   // for the driver to compile
  int ptx_cuda = 0;           // 13000: made by the compiler of CUDA 13.0
};

CodeInBuild code_in_this_build();

// The same of a CUDA plugin that was built for another torch: code for the same architectures, made
// by another compiler. This build's where there is no such plugin.
CodeInBuild code_in(const std::filesystem::path& plugin);

// Without PTX that a driver of this CUDA version (13000: 13.0) does not compile: a driver compiles
// PTX of its own CUDA version and older. Machine code it loads from any CUDA of its major number
// (CUDA Compatibility, "Minor Version Compatibility").
CodeInBuild for_driver(CodeInBuild build, int driver_cuda_version);

enum class CodeUse { kMachineCode, kCompiledByDriver, kNone };

struct GpuCode {
  CodeUse use = CodeUse::kNone;
  int architecture = 0;  // 90: sm_90 or compute_90; 0 with kNone
};

// Chooses as CUDA does (CUDA C++ Programming Guide, "Application Compatibility"): machine code of
// the same major and no larger minor number, the largest such; else PTX of the same or an older
// GPU.
GpuCode gpu_code_for(int major, int minor, CodeInBuild build = code_in_this_build());

// "machine code sm_90" | "compute_90 code, compiled by the driver at the first start, which ..." |
// "none: this build holds sm_75, sm_80 and compute_90 code".
std::string in_words(GpuCode code, CodeInBuild build = code_in_this_build());

}  // namespace scalemark::monitoring
