// The providers of Gloo and MPI. Gloo's is defined here, with the choice of its network interface;
// MPI's is in a plugin, which only a run that uses MPI loads. Knows neither points nor settings.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "core/launch/world.h"
#include "engine/distributed/backend.h"
#include "engine/mpi/mpi_api.h"

namespace scalemark::distributed {

// Returns the interface for this rank's Gloo traffic: GLOO_SOCKET_IFNAME when it is set (refused
// with 78 when this host has no such interface); "lo" when every rank is on one host; else the
// interface that leads to the rendezvous address, or to this host's own name when ranks meet by
// file. Between hosts it is never the loopback interface.
std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit);

// Gloo serves CPU tensors, and a GPU's by copying them; it carries every group's control traffic.
const BackendProvider& gloo();

// How the ranks of a full mesh tell each other their addresses: without a list of numbers for each
// pair, and read in batches; without either Gloo asks the store for N^2 records of N numbers. Sets
// Gloo's variables for it unless the user has, and returns both, which must be equal on all ranks:
// Gloo does not compare them. Call it before the first group.
std::map<std::string, std::string> gloo_variables();

// Loads the plugin of the MPI library that a run uses. `library` is "openmpi" or "mpich"; its
// plugin is in `library_folder`. Throws system_error() (71); where the MPI library is missing, the
// error says what to install.
const mpi::MpiApi& load_mpi_plugin(const std::string& library_folder, const std::string& library);

}  // namespace scalemark::distributed
