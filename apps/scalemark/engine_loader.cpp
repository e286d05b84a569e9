#include "apps/scalemark/engine_loader.h"

#include <dlfcn.h>

#include <string_view>

#include "apps/scalemark/library_folder.h"
#include "core/base/error.h"
#include "core/base/version.h"

namespace scalemark::cli {
namespace {

// By full path and before the engine: sonames that are loaded win over the engine's RUNPATH, so
// that a torch in another place than at build time serves.
void load_torch_library(const TorchFolder& torch, const char* name) {
  const std::string path = (torch.path / "lib" / name).string();
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return;
  const char* reason = dlerror();
  throw system_error(std::string("cannot load torch: ") + (reason ? reason : path), {},
                     "pip install --force-reinstall torch==" + std::string(kTorchVersion));
}

}  // namespace

const api::EngineApi& load_engine(const TorchFolder& torch) {
  load_torch_library(torch, "libc10.so");
  load_torch_library(torch, "libtorch_cpu.so");
  using ApiFunction = const api::EngineApi* (*)();
  const auto function =
      reinterpret_cast<ApiFunction>(load_symbol("libscalemark_engine.so", "scalemark_engine_api"));
  const api::EngineApi& api = *function();
  const Version own = program_version();
  if (std::string_view(api.abi) != api::kEngineAbi || api.git_commit != own.git_commit) {
    throw system_error("libscalemark_engine.so is of build " + std::string(api.git_commit),
                       "the program is of build " + own.git_commit,
                       "install program and libraries from one build");
  }
  return api;
}

}  // namespace scalemark::cli
