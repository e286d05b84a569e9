#include "engine/distributed/providers.h"

#include <net/if.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/launch/mpi_library.h"
#include "engine/distributed/network.h"
#include "engine/torch/compat.h"

namespace scalemark::distributed {
namespace {

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

constexpr const char* kTransport = "GLOO_DEVICE_TRANSPORT";

// Gloo connects late over plain TCP only: with TLS all pairs connect at once.
bool may_be_lazy() {
  const std::string transport = variable(kTransport);
  return transport.empty() || transport == "TCP";
}

// Gloo itself would say so after the ranks have met, as an error of its network.
void require_keys_of_tls() {
  if (variable(kTransport) != "TCP_TLS") return;
  const auto require = [](const std::string& names, const std::string& path, bool is_kind) {
    if (is_kind) return;
    throw configuration("GLOO_DEVICE_TRANSPORT is TCP_TLS, and " + names + " is " +
                            (path.empty() ? "not set" : path),
                        "the path of what TLS needs",
                        "set it for every rank, or unset GLOO_DEVICE_TRANSPORT");
  };
  const std::string prefix = "GLOO_DEVICE_TRANSPORT_TCP_TLS_";
  std::error_code unknown;
  for (const char* name : {"PKEY", "CERT"}) {
    const std::string path = variable(prefix + name);
    require(prefix + name, path, std::filesystem::is_regular_file(path, unknown));
  }
  const std::string file = variable(prefix + "CA_FILE"), folder = variable(prefix + "CA_PATH");
  require(prefix + "CA_FILE (or " + prefix + "CA_PATH)", file.empty() ? folder : file,
          std::filesystem::is_regular_file(file, unknown) ||
              std::filesystem::is_directory(folder, unknown));
}

class GlooProvider final : public BackendProvider {
 public:
  std::string_view name() const override { return "gloo"; }
  bool serves(c10::DeviceType device) const override {
    return device == c10::DeviceType::CPU || device == c10::DeviceType::CUDA;
  }
  bool notices_lost_peers() const override { return true; }

  c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const override {
    using Gloo = c10d::ProcessGroupGloo;
    auto options = Gloo::Options::create(spec.timeout);
    const bool lazy = spec.lazy && may_be_lazy();
    options->devices.push_back(spec.interface.empty()
                                   ? Gloo::createDefaultDevice(lazy)
                                   : Gloo::createDeviceForInterface(spec.interface, lazy));
    return c10::make_intrusive<Gloo>(spec.store, spec.rank, spec.size(), options);
  }
};

}  // namespace

std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit) {
  require_keys_of_tls();
  if (const char* named = std::getenv("GLOO_SOCKET_IFNAME"); named && *named) {
    if (if_nametoindex(named) == 0) {
      throw configuration("GLOO_SOCKET_IFNAME is " + std::string(named),
                          "this host has no network interface of that name",
                          "`ip link` lists the interfaces");
    }
    return named;
  }
  if (world.local_world_size == world.world_size) {
    require_loopback();
    return "lo";
  }
  if (rendezvous.kind != launching::Rendezvous::Kind::kTcp) return interface_of_own_name(limit);
  return interface_towards(rendezvous.host, rendezvous.port, true, limit);
}

std::map<std::string, std::string> gloo_variables() {
  std::map<std::string, std::string> variables;
  for (const char* name : {"GLOO_ENABLE_RANK_AS_SEQUENCE_NUMBER", "GLOO_ENABLE_STORE_V2_API"}) {
    setenv(name, "1", 0);
    variables[name] = std::getenv(name);
  }
  return variables;
}

const BackendProvider& gloo() {
  static const GlooProvider provider;
  return provider;
}

namespace {

// UCX, on which both libraries may be built, reads its variables while it is loaded. Without these
// it replaces our signal handlers and prints a backtrace for every lost peer.
void set_variables_of_ucx() {
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
}

}  // namespace

// Opens the library with global symbols, because Open MPI's components search for them there.
const mpi::MpiApi& load_mpi_plugin(const std::string& library_folder, const std::string& library) {
  const launching::MpiLibrary& mpi = launching::mpi_library(library);
  const std::string advice = "`apt-get install " + std::string(mpi.package) +
                             "` on every machine of the run, or use --backend gloo";
  set_variables_of_ucx();
  open_library(std::string(mpi.soname), std::string(mpi.title), advice);
  return open_plugin_as<mpi::MpiApi>(
      {.path = library_folder + "/" + library_for(mpi.part, compat::kTorchMinor),
       .symbol = "scalemark_mpi_api",
       .abi = mpi::kMpiAbi,
       .advice = advice});
}

}  // namespace scalemark::distributed
