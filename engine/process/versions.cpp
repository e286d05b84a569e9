#include "engine/process/versions.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Allocator.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <torch/version.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/digest.h"
#include "core/base/elf_notes.h"
#include "core/base/plugin.h"
#include "core/machine/gpu_support.h"
#include "engine/distributed/providers.h"

namespace scalemark::process {
namespace {

// 91900 -> "9.19.0"
std::string cudnn_version(long version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

// The folder that holds lib/libc10.so also holds version.py.
std::filesystem::path torch_folder() {
  Dl_info library{};
  const auto* symbol = reinterpret_cast<const void*>(&c10::GetAllocator);
  if (dladdr(symbol, &library) == 0 || library.dli_fname == nullptr) return {};
  return std::filesystem::path(library.dli_fname).parent_path().parent_path();
}

}  // namespace

std::string loaded_torch_version() { return torch_version(torch_folder()).value_or(TORCH_VERSION); }

std::map<std::string, reporting::LibraryVersion> library_versions(
    bool with_cuda, const std::map<std::string, distributed::LibraryVersion>& backends) {
  std::map<std::string, reporting::LibraryVersion> versions;
  versions["libtorch"] = {.built_with = TORCH_VERSION, .running_with = loaded_torch_version()};
  if (with_cuda) {
    const auto& hooks = at::detail::getCUDAHooks();
    versions["cuda"] = {.running_with =
                            monitoring::cuda_version_text(static_cast<int>(hooks.versionCUDART()))};
    if (hooks.hasCuDNN()) versions["cudnn"] = {.running_with = cudnn_version(hooks.versionCuDNN())};
  }
  for (const auto& [name, version] : backends) {
    versions[name] = {.built_with = version.built_with, .running_with = version.running_with};
  }
  if (program_version().git_dirty) {
    for (const auto& [name, id] : build_ids()) versions[name] = {.running_with = "build " + id};
  }
  return versions;
}

namespace {

constexpr std::string_view kOurs = "libscalemark_";

// "/x/libscalemark_engine-2.11.so" -> "scalemark_engine"; empty for other projects' libraries.
std::string our_name(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (!file.starts_with(kOurs)) return "";
  return std::string(file.substr(3, file.find_first_of("-.") - 3));
}

int add(dl_phdr_info* library, std::size_t, void* found) {
  const std::string name = our_name(library->dlpi_name);
  for (int i = 0; !name.empty() && i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(library->dlpi_addr + segment.p_vaddr);
    const auto id = note_in({notes, segment.p_memsz}, {ELF_NOTE_GNU, NT_GNU_BUILD_ID});
    if (!id) continue;
    (*static_cast<std::map<std::string, std::string>*>(found))[name] =
        hexadecimal(std::as_bytes(std::span(*id)));
  }
  return 0;
}

}  // namespace

std::map<std::string, std::string> build_ids() {
  std::map<std::string, std::string> found;
  dl_iterate_phdr(add, &found);
  return found;
}

distributed::Facts common_facts(const RunRequest& request) {
  distributed::Facts facts = distributed::gloo_variables();
  for (const auto& [name, value] : request.settings.common) facts["settings." + name] = value;
  const Version program = program_version();
  facts["program.version"] = program.version;
  facts["program.commit"] = program.git_commit;
  facts["library.torch"] = loaded_torch_version();
  return facts;
}

}  // namespace scalemark::process
