// Where the providers of Gloo and MPI come from: Gloo's is here, with the choice of the network
// interface that it uses; the plugin that has MPI's is loaded by a run that uses it, and not
// before. Knows neither points nor settings.
#pragma once

#include <chrono>
#include <string>

#include "core/launch/world.h"
#include "engine/distributed/backend.h"
#include "engine/mpi/mpi_api.h"

namespace scalemark::distributed {

// The interface for this rank's Gloo traffic: GLOO_SOCKET_IFNAME when it is set (refused with 78
// when this host has no such interface), "lo" when every rank is on one host, else the interface
// that leads to the rendezvous address, or when ranks meet by file, the one of this host's own
// name; never the loopback interface between hosts.
std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit);

// Gloo: it serves CPU tensors, and a GPU's by copying them; it carries every group's control
// traffic.
const BackendProvider& gloo();

// Loads the plugin of the MPI library that a run uses. `library`: "openmpi" or "mpich"; its plugin
// is in `library_folder`. Throws system_error() (71): when the MPI library is not there, it says
// what to install.
const mpi::MpiApi& load_mpi_plugin(const std::string& library_folder, const std::string& library);

}  // namespace scalemark::distributed
