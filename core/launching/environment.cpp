#include "core/launching/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace scalemark::launching {
namespace {

using namespace std::string_view_literals;

constexpr std::array kNames = {
    "RANK"sv,
    "WORLD_SIZE"sv,
    "LOCAL_RANK"sv,
    "LOCAL_WORLD_SIZE"sv,
    "GROUP_RANK"sv,
    "GROUP_WORLD_SIZE"sv,
    "ROLE_RANK"sv,
    "ROLE_WORLD_SIZE"sv,
    "ROLE_NAME"sv,
    "NODE_RANK"sv,
    "MASTER_ADDR"sv,
    "MASTER_PORT"sv,
    "MPI_LOCALRANKID"sv,
    "MPI_LOCALNRANKS"sv,
    "SCALEMARK_RANK_SPEC"sv,
    "SCALEMARK_LAUNCHER_SOCKET"sv,
};

constexpr std::array kPrefixes = {
    "TORCHELASTIC_"sv, "SLURM_"sv, "OMPI_"sv,  "PMIX_"sv, "PRTE_"sv,
    "PMI_"sv,          "HYDI_"sv,  "HYDRA_"sv, "PET_"sv,
};

constexpr std::array kJobFacts = {"SLURM_JOB_ID"sv, "SLURM_JOBID"sv, "SLURM_JOB_NAME"sv,
                                  "SLURM_CLUSTER_NAME"sv};

}  // namespace

Environment snapshot_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return environment;
}

bool is_launcher_variable(std::string_view name) {
  if (std::ranges::find(kJobFacts, name) != kJobFacts.end()) return false;
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

Environment without_launcher_variables(Environment environment) {
  std::erase_if(environment, [](const auto& entry) { return is_launcher_variable(entry.first); });
  return environment;
}

}  // namespace scalemark::launching
