#include "engine/distributed/backends.h"

#include <vector>

#include "core/base/error.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {

#define SCALEMARK_BACKEND(name, provider, ...) \
  const BackendProvider* provider(const PluginProviders&);
#include "core/catalogue/backend_list.inc"
#undef SCALEMARK_BACKEND

namespace {

struct Row {
  std::string_view name;
  const BackendProvider* provider;  // null: its plugin is not loaded
};

std::vector<Row> rows(const PluginProviders& plugins) {
  return {
#define SCALEMARK_BACKEND(name, provider, ...) {#name, provider(plugins)},
#include "core/catalogue/backend_list.inc"
#undef SCALEMARK_BACKEND
  };
}

std::string device_text(c10::DeviceType device) {
  return device == c10::DeviceType::CPU ? "a CPU" : "a GPU";
}

}  // namespace

const BackendProvider& find_provider(std::string_view name, c10::DeviceType device,
                                     const PluginProviders& plugins) {
  std::string serving;
  for (const Row& row : rows(plugins)) {
    if (row.provider == nullptr || !row.provider->serves(device)) continue;
    if (row.name == name) return *row.provider;
    serving += (serving.empty() ? "" : " or ") + std::string(row.name);
  }
  throw configuration("backend '" + std::string(name) + "' on " + device_text(device), serving,
                      "leave --backend at auto");
}

std::map<std::string, LibraryVersion> library_versions(const PluginProviders& plugins) {
  std::map<std::string, LibraryVersion> versions;
  for (const Row& row : rows(plugins)) {
    if (row.provider == nullptr) continue;
    if (const auto version = row.provider->library_version()) {
      versions[std::string(row.name)] = *version;
    }
  }
  return versions;
}

const BackendProvider* gloo_provider(const PluginProviders&) { return &gloo(); }
const BackendProvider* nccl_provider(const PluginProviders& plugins) { return plugins.nccl; }
const BackendProvider* mpi_provider(const PluginProviders& plugins) { return plugins.mpi; }

}  // namespace scalemark::distributed
