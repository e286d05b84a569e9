#include "engine/distributed/gloo.h"

#include <net/if.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/base/error.h"
#include "engine/distributed/network.h"

namespace scalemark::distributed {

std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit) {
  if (const char* named = std::getenv("GLOO_SOCKET_IFNAME"); named && *named) {
    if (if_nametoindex(named) == 0) {
      throw configuration("GLOO_SOCKET_IFNAME is " + std::string(named),
                          "this host has no network interface of that name",
                          "`ip link` lists the interfaces");
    }
    return named;
  }
  if (world.local_world_size == world.world_size) return "lo";
  if (rendezvous.kind != launching::Rendezvous::Kind::kTcp) return interface_of_own_name(limit);
  return interface_towards(rendezvous.host, rendezvous.port, true, limit);
}

c10::intrusive_ptr<c10d::Backend> make_gloo_backend(c10::intrusive_ptr<c10d::Store> store, int rank,
                                                    int size, std::chrono::milliseconds timeout,
                                                    const std::string& interface) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(interface.empty()
                                 ? c10d::ProcessGroupGloo::createDefaultDevice()
                                 : c10d::ProcessGroupGloo::createDeviceForInterface(interface));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

}  // namespace scalemark::distributed
