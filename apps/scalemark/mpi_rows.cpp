#include "apps/scalemark/mpi_rows.h"

#include <dlfcn.h>

#include <algorithm>

#include "apps/scalemark/mpi_ranks.h"
#include "core/launching/mpi_library.h"

namespace scalemark::cli {
namespace {

// MPI_MAX_LIBRARY_VERSION_STRING of MPICH; Open MPI's is smaller.
constexpr std::size_t kLongestVersion = 8192;

// Empty: the library does not load. May be called before MPI is started (MPI 3.0, 8.1.1).
std::string version_of(const launching::MpiLibrary& library) {
  void* handle = dlopen(std::string(library.soname).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  using Function = int (*)(char*, int*);
  const auto ask = reinterpret_cast<Function>(dlsym(handle, "MPI_Get_library_version"));
  std::string text(kLongestVersion, '\0');
  int length = 0;
  if (ask == nullptr || ask(text.data(), &length) != 0) return std::string(library.title);
  text.resize(static_cast<std::size_t>(length));
  return launching::mpi_version_in(text);
}

std::string line_of(const launching::MpiLibrary& library, bool is_built,
                    const launching::Environment& environment) {
  const std::string version = version_of(library);
  const std::string mpirun = find_mpirun(library, environment);
  std::string line = version.empty() ? std::string(library.title) + ": " +
                                           std::string(library.soname) + " does not load"
                                     : version;
  line += is_built ? ", " + std::string(library.part)
                   : ", no " + std::string(library.part) + " (build with " +
                         std::string(library.headers) + ")";
  line += mpirun.empty() ? ", no mpirun on PATH" : ", " + mpirun;
  if (version.empty() || mpirun.empty()) line += " (install " + std::string(library.package) + ")";
  return line;
}

}  // namespace

std::vector<std::string> mpi_lines() {
  const auto environment = launching::snapshot_environment();
  const auto built = built_mpi_libraries();
  std::vector<std::string> lines;
  for (const auto& library : launching::kMpiLibraries) {
    const bool is_built = std::ranges::find(built, library.name) != built.end();
    lines.push_back(line_of(library, is_built, environment));
  }
  return lines;
}

}  // namespace scalemark::cli
