#include "core/launch/variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

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
    "FLUX_TASK_RANK"sv,
    "FLUX_TASK_LOCAL_ID"sv,
    "FLUX_JOB_SIZE"sv,
    "FLUX_JOB_NNODES"sv,
    "SCALEMARK_RANK_SPEC"sv,
    "SCALEMARK_LAUNCHER_SOCKET"sv,
};

constexpr std::array kPrefixes = {
    "TORCHELASTIC_"sv, "SLURM_"sv, "OMPI_"sv, "PMIX_"sv, "PRTE_"sv, "PMI_"sv,
    "HYDI_"sv,         "HYDRA_"sv, "PET_"sv,  "PALS_"sv, "JSM_"sv,  "LWS_"sv,
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

std::optional<std::string> FieldReader::text(const std::string& name) const {
  const auto found = environment_.find(name);
  if (found == environment_.end() || found->second.empty()) return {};
  return found->second;
}

std::optional<std::string> FieldReader::string(const std::string& field,
                                               std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = text(name)) {
      detected_from_[field] = name;
      return value;
    }
  }
  return {};
}

std::optional<int> FieldReader::number(const std::string& field,
                                       std::initializer_list<const char*> names) {
  const auto value = string(field, names);
  if (!value) return {};
  const auto parsed = parse_whole(*value);
  if (!parsed) refuse(detected_from_[field] + "=" + *value, "a whole number from 0 up");
  return parsed;
}

int FieldReader::required(const std::string& field, std::initializer_list<const char*> names,
                          int otherwise) {
  if (!string(field, names)) {
    refuse(joined(names, " or ") + " is not set", "this launcher sets it");
    return otherwise;
  }
  return number(field, names).value_or(otherwise);
}

std::string FieldReader::named(const std::string& field, int value) const {
  const auto source = detected_from_.find(field);
  const bool variable = source != detected_from_.end() && environment_.contains(source->second);
  const bool option = source != detected_from_.end() && source->second.starts_with("--");
  if (variable) return source->second + "=" + std::to_string(value);
  if (option) return source->second + " " + std::to_string(value);
  return field + " " + std::to_string(value);
}

void FieldReader::refuse(std::string what, std::string expected, std::string hint) {
  auto record = configuration(std::move(what), std::move(expected), std::move(hint)).record();
  record.code = "E_LAUNCH";
  record.domain = ErrorDomain::kLaunch;
  problems_.push_back(std::move(record));
}

void FieldReader::refuse_usage(std::string what, std::string expected, std::string hint) {
  auto record = usage(std::move(what), std::move(expected), std::move(hint)).record();
  record.domain = ErrorDomain::kLaunch;
  problems_.push_back(std::move(record));
}

}  // namespace scalemark::launching
