#include "apps/scalemark/engine_loader.h"

#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/library_folder.h"
#include "core/base/part.h"

namespace scalemark::cli {
namespace {

// By full path and before the engine: sonames that are loaded win over the engine's RUNPATH, so
// that torch may be in another place than at build time.
void load_torch_library(const TorchFolder& torch, const char* name) {
  open_library(torch.path / "lib" / name, "torch",
               "pip install --force-reinstall torch==" + std::string(kTorchVersion));
}

}  // namespace

const api::EngineApi& load_engine(const TorchFolder& torch) {
  refuse_lost_working_folder();
  load_torch_library(torch, "libc10.so");
  load_torch_library(torch, "libtorch_cpu.so");
  return open_part_as<api::EngineApi>({.path = library_folder() / "libscalemark_engine.so",
                                       .symbol = "scalemark_engine_api",
                                       .abi = api::kEngineAbi});
}

}  // namespace scalemark::cli
