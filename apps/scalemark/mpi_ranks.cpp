#include "apps/scalemark/mpi_ranks.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "apps/scalemark/library_folder.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/backends.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> search_path(const launching::Environment& environment) {
  std::vector<fs::path> folders;
  const std::string path = value_at(environment, "PATH");
  for (const std::string_view folder : split(path, ":")) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool is_of(const launching::MpiLibrary& library, const fs::path& program) {
  std::error_code failed;
  const std::string name = fs::canonical(program, failed).filename().string();
  const bool hydra = name.find("hydra") != name.npos || name.find("mpich") != name.npos;
  const bool open = name.find("orterun") != name.npos || name.find("prterun") != name.npos ||
                    name.find("openmpi") != name.npos || name == "mpirun";
  return !failed && (library.name == "mpich" ? hydra : open);
}

// The libraries that could start ranks here come first: auto takes the first one.
std::vector<std::string> usable_first(std::vector<std::string> built,
                                      const launching::Environment& environment) {
  std::ranges::stable_partition(built, [&](const std::string& name) {
    return !find_mpirun(launching::mpi_library(name), environment).empty();
  });
  return built;
}

std::string required_mpirun(const launching::MpiLibrary& library,
                            const launching::Environment& environment) {
  std::string path = find_mpirun(library, environment);
  if (!path.empty()) return path;
  throw system_error("--backend mpi: no mpirun of " + std::string(library.title) + " on PATH",
                     std::string(library.launcher) + " or mpirun, which starts the ranks",
                     "`apt-get install " + std::string(library.package) + "`");
}

}  // namespace

std::vector<std::string> built_mpi_libraries() {
  std::vector<std::string> built;
  for (const auto& library : launching::kMpiLibraries) {
    if (fs::exists(library_folder() / library.part)) built.emplace_back(library.name);
  }
  return built;
}

std::string find_mpirun(const launching::MpiLibrary& library,
                        const launching::Environment& environment) {
  for (const std::string_view name : {library.launcher, std::string_view("mpirun")}) {
    for (const fs::path& folder : search_path(environment)) {
      const fs::path program = folder / name;
      if (::access(program.c_str(), X_OK) != 0) continue;
      if (name == library.launcher || is_of(library, program)) return program.string();
    }
  }
  return {};
}

void settle_mpi(ResolvedCommand& resolved, const std::vector<std::string>& backends) {
  if (std::ranges::none_of(backends, catalogue::needs_mpi_ranks)) return;
  const auto environment = launching::snapshot_environment();
  const auto& library = launching::choose_mpi_library(
      resolved.detection, environment, resolved.settings.launch.mpi_library,
      usable_first(built_mpi_libraries(), environment));
  resolved.mpi_library = library.name;
  if (!resolved.detection.node) return;
  resolved.detection.node->mpi_library = library.name;
  resolved.detection.node->mpirun = required_mpirun(library, environment);
}

std::map<std::string, std::string> missing_backends(ResolvedCommand base) {
  std::map<std::string, std::string> missing;
  if (!fs::exists(library_folder() / "libscalemark_cuda.so")) {
    missing["nccl"] = "this program was built without its CUDA part, which has nccl";
  }
  try {
    settle_mpi(base, {"mpi"});
  } catch (const Error& error) {
    const ErrorRecord& record = error.record();
    missing["mpi"] = record.hint.empty() ? record.what : record.what + "; " + record.hint;
  }
  return missing;
}

}  // namespace scalemark::cli
