#include "apps/scalemark/libraries.h"

#include "apps/scalemark/file_checks.h"
#include "core/base/error.h"
#include "core/base/plugin.h"

#ifndef SCALEMARK_TORCH_DIR
#define SCALEMARK_TORCH_DIR ""
#endif

namespace scalemark::cli {
namespace {

Error torch_error(std::string code, std::string what, std::string expected) {
  const std::string version(kTorchVersion);
  return Error({.code = std::move(code),
                .exit_code = ExitCode::kSystem,
                .domain = ErrorDomain::kSoftware,
                .what = std::move(what),
                .expected = std::move(expected),
                .hint = "pip install torch==" + version +
                        ", then --torch DIR or SCALEMARK_TORCH=DIR, DIR being its folder "
                        "site-packages/torch (scripts/quickstart does both)"});
}

}  // namespace

TorchFolder find_torch(const std::string& given) {
  const std::string wanted(kTorchVersion);
  const std::string path = given.empty() ? SCALEMARK_TORCH_DIR : given;
  if (path.empty()) {
    throw torch_error("E_TORCH_MISSING", "no torch folder is known", "torch " + wanted);
  }
  TorchFolder folder{.path = path,
                     .from = given.empty() ? "the built-in path" : "--torch or SCALEMARK_TORCH",
                     .version = {}};
  if (!std::filesystem::exists(folder.path / "lib" / "libtorch_cpu.so")) {
    throw torch_error("E_TORCH_MISSING",
                      "'" + path + "' (" + folder.from + ") has no lib/libtorch_cpu.so",
                      "torch " + wanted);
  }
  folder.version = torch_version(folder.path).value_or("unknown");
  if (folder.version.substr(0, folder.version.find('+')) != wanted) {
    throw torch_error("E_TORCH_VERSION",
                      "'" + path + "' (" + folder.from + ") is torch " + folder.version,
                      "torch " + wanted + ": its C++ interface changes between versions");
  }
  return folder;
}

std::filesystem::path library_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw system_error("cannot read /proc/self/exe: " + error.message());
  return program.parent_path();
}

namespace {

// Libraries are loaded by full path and before the engine: sonames that are loaded win over the
// engine's RUNPATH, so that torch may be in another place than at build time.
void load_torch_library(const TorchFolder& torch, const char* name) {
  open_library(torch.path / "lib" / name, "torch",
               "pip install --force-reinstall torch==" + std::string(kTorchVersion));
}

}  // namespace

const api::EngineApi& load_engine(const TorchFolder& torch) {
  refuse_lost_working_folder();
  load_torch_library(torch, "libc10.so");
  load_torch_library(torch, "libtorch_cpu.so");
  return open_plugin_as<api::EngineApi>({.path = library_folder() / "libscalemark_engine.so",
                                         .symbol = "scalemark_engine_api",
                                         .abi = api::kEngineAbi});
}

const data::DataApi& load_data_library() {
  return open_plugin_as<data::DataApi>({.path = library_folder() / "libscalemark_data.so",
                                        .symbol = "scalemark_data_api",
                                        .abi = data::kDataAbi});
}

}  // namespace scalemark::cli
