// Every provider that this process has, from core/catalogue/backend_list.inc.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/distributed/backend.h"

namespace scalemark::distributed {

// The providers that the loaded plugins export.
struct PluginProviders {
  const BackendProvider* nccl = nullptr;  // null while the CUDA plugin is not loaded
  const BackendProvider* mpi = nullptr;   // null while no plugin of MPI is loaded
};

// Throws configuration() (78) for a backend that is not in the list, whose plugin is not loaded, or
// that does not serve `device`. The provider lives as long as the process.
const BackendProvider& find_provider(std::string_view name, c10::DeviceType device,
                                     const PluginProviders& plugins);

// The library versions of the available providers, by name.
std::map<std::string, LibraryVersion> library_versions(const PluginProviders& plugins);

// One function for each line of the list. Returns its provider, or null while its plugin is not
// loaded.
const BackendProvider* gloo_provider(const PluginProviders& plugins);
const BackendProvider* nccl_provider(const PluginProviders& plugins);
const BackendProvider* mpi_provider(const PluginProviders& plugins);

}  // namespace scalemark::distributed
