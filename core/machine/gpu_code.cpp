#include "core/machine/gpu_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "core/base/elf_notes.h"

namespace scalemark::monitoring {
namespace {

constexpr auto kSass = std::to_array<int>({SCALEMARK_CUDA_SASS});
constexpr auto kPtx = std::to_array<int>({SCALEMARK_CUDA_PTX});

#define SCALEMARK_TEXT_OF(number) #number
#define SCALEMARK_AS_TEXT(number) SCALEMARK_TEXT_OF(number)
SCALEMARK_NOTE ptx_note{kPtxNote.type, SCALEMARK_AS_TEXT(SCALEMARK_PTX_CUDA)};

int largest(std::span<const int> architectures, const std::function<bool(int)>& fits) {
  int best = 0;
  for (const int architecture : architectures) {
    if (fits(architecture)) best = std::max(best, architecture);
  }
  return best;
}

std::string listed(CodeInBuild build) {
  std::string text;
  for (const int sass : build.sass) text += "sm_" + std::to_string(sass) + ", ";
  for (const int ptx : build.ptx) text += "compute_" + std::to_string(ptx) + ", ";
  return text.substr(0, text.empty() ? 0 : text.size() - 2);
}

}  // namespace

CodeInBuild code_in_this_build() {
  return {.sass = kSass, .ptx = kPtx, .ptx_cuda = SCALEMARK_PTX_CUDA};
}

CodeInBuild code_in(const std::filesystem::path& plugin) {
  CodeInBuild code = code_in_this_build();
  const std::string made_by = own_note(plugin, kPtxNote);
  std::from_chars(made_by.data(), made_by.data() + made_by.size(), code.ptx_cuda);
  return code;
}

CodeInBuild for_driver(CodeInBuild build, int driver_cuda_version) {
  if (driver_cuda_version < build.ptx_cuda) build.ptx = {};
  return build;
}

GpuCode gpu_code_for(int major, int minor, CodeInBuild build) {
  const int gpu = 10 * major + minor;
  const int sass = largest(build.sass, [&](int a) { return a / 10 == major && a <= gpu; });
  if (sass > 0) return {CodeUse::kMachineCode, sass};
  const int ptx = largest(build.ptx, [&](int a) { return a <= gpu; });
  if (ptx > 0) return {CodeUse::kCompiledByDriver, ptx};
  return {};
}

std::string in_words(GpuCode code, CodeInBuild build) {
  const std::string architecture = std::to_string(code.architecture);
  switch (code.use) {
    case CodeUse::kMachineCode:
      return "machine code sm_" + architecture;
    case CodeUse::kCompiledByDriver:
      return "compute_" + architecture +
             " code, compiled by the driver at the first start, which makes that start slower";
    case CodeUse::kNone:
      break;
  }
  return "none: this build holds " + listed(build);
}

}  // namespace scalemark::monitoring
