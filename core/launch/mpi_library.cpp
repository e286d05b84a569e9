#include "core/launch/mpi_library.h"

#include <algorithm>

#include "core/base/error.h"

namespace scalemark::launching {
namespace {

bool is_set(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found != environment.end() && !found->second.empty();
}

std::string start_with(const MpiLibrary& library, int ranks) {
  return "start the ranks with `" + std::string(library.launcher) + " -n " + std::to_string(ranks) +
         " scalemark ...`";
}

std::string names_of_headers() {
  std::string names;
  for (const MpiLibrary& library : kMpiLibraries) {
    names += (names.empty() ? "" : " or ") + std::string(library.headers);
  }
  return names;
}

bool is_built(const std::vector<std::string>& built, std::string_view name) {
  return std::ranges::find(built, name) != built.end();
}

// Refuses several ranks that something else than an MPI launcher has started, or will start.
void refuse_unconnected(const Detection& detection, const MpiLibrary& library) {
  if (detection.node && (detection.node->nnodes == 1 || !detection.node->hosts.empty())) return;
  const World& world = detection.world;
  const int ranks = detection.node ? world_size_of(*detection.node) : world.world_size;
  if (ranks == 1) return;
  const std::string hosts = " --host HOST:RANKS,HOST:RANKS";
  const bool own = detection.node || world.launcher == "local" || world.launcher == "kubernetes";
  if (own) {
    throw configuration("--backend mpi on several nodes without an MPI launcher",
                        "the built-in launcher starts the ranks of MPI on one node",
                        "start them with `" + std::string(library.launcher) + " -n " +
                            std::to_string(ranks) + hosts + " scalemark ...`");
  }
  if (world.launcher == "slurm") {
    throw configuration("--backend mpi under srun, which did not prepare the ranks for MPI",
                        "srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH",
                        "`srun --mpi=list` says what this cluster has");
  }
  throw configuration("--backend mpi: launcher " + world.launcher + " started rank " +
                          std::to_string(world.rank) + " of " + std::to_string(ranks),
                      "MPI connects only ranks that an MPI launcher has started",
                      start_with(library, ranks) + ", or use --backend gloo");
}

std::string started_by(const MpiLauncher& launcher) {
  if (launcher.library.empty()) return {};
  return "the launcher of " + std::string(mpi_library(launcher.library).title) +
         " started this rank (" + std::string(launcher.variable) + ")";
}

void refuse_other_launcher(const std::string& wanted, const MpiLauncher& launcher) {
  if (launcher.library.empty() || launcher.either || wanted == launcher.library) return;
  throw configuration(
      "--mpi-library " + wanted + ", but " + started_by(launcher), "the library of the launcher",
      "leave --mpi-library out, or use " + std::string(mpi_library(wanted).launcher));
}

void require_plugin(const MpiLibrary& library, const std::string& why,
                    const std::vector<std::string>& built) {
  if (is_built(built, library.name)) return;
  throw configuration(why + ", but libscalemark_" + std::string(library.part) + " is not there",
                      "its plugin, beside the program",
                      "build with " + std::string(library.headers) + ", or start the ranks with " +
                          std::string(mpi_library(built.front()).launcher));
}

}  // namespace

const MpiLibrary& mpi_library(std::string_view name) {
  const auto found = std::ranges::find(kMpiLibraries, name, &MpiLibrary::name);
  if (found == kMpiLibraries.end()) throw bug("no MPI library is called " + std::string(name));
  return *found;
}

MpiLauncher mpi_launcher_of(const Environment& environment) {
  if (is_set(environment, "OMPI_COMM_WORLD_SIZE")) {
    return {.library = "openmpi", .variable = "OMPI_COMM_WORLD_SIZE"};
  }
  for (const char* variable : {"PMI_RANK", "PMI_FD"}) {
    if (is_set(environment, variable)) return {.library = "mpich", .variable = variable};
  }
  if (is_set(environment, "PMIX_RANK")) {
    return {.library = "openmpi", .variable = "PMIX_RANK", .either = true};
  }
  return {};
}

const MpiLibrary& choose_mpi_library(const Detection& detection, const Environment& environment,
                                     const std::string& wanted,
                                     const std::vector<std::string>& built) {
  if (built.empty()) {
    throw system_error("--backend mpi: this build has no plugin for MPI",
                       "libscalemark_mpi_openmpi or libscalemark_mpi_mpich",
                       "build with " + names_of_headers() + ", or use --backend gloo");
  }
  // A process that starts ranks itself has none of a launcher's variables for them.
  const MpiLauncher launcher = detection.node ? MpiLauncher{} : mpi_launcher_of(environment);
  const bool asked = wanted != "auto";
  if (asked) refuse_other_launcher(wanted, launcher);
  const std::string name(asked                      ? wanted
                         : launcher.library.empty() ? built.front()
                                                    : std::string(launcher.library));
  const MpiLibrary& library = mpi_library(name);
  if (launcher.library.empty()) refuse_unconnected(detection, library);
  require_plugin(library, asked ? "--mpi-library " + wanted : started_by(launcher), built);
  return library;
}

std::string mpi_version_in(std::string_view text) {
  const auto upto = [](std::string_view rest, std::string_view ends) {
    return std::string(rest.substr(0, rest.find_first_of(ends)));
  };
  constexpr std::string_view kOpenMpi = "Open MPI v", kMpich = "MPICH Version:";
  if (const auto at = text.find(kOpenMpi); at != text.npos) {
    return "Open MPI " + upto(text.substr(at + kOpenMpi.size()), ", \n");
  }
  if (const auto at = text.find(kMpich); at != text.npos) {
    const auto rest = text.substr(at + kMpich.size());
    const auto begin = rest.find_first_not_of(" \t");
    if (begin != rest.npos) return "MPICH " + upto(rest.substr(begin), " \t\n");
  }
  return upto(text, "\n");
}

}  // namespace scalemark::launching
