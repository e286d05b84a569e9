// Which ports of a machine carry the data of its ranks, and how fast they are together. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/host.h"

namespace scalemark::monitoring {

struct NetworkPorts {
  bool rdma = false;               // else sockets over network interfaces
  std::vector<double> Gbit_per_s;  // one rate for each port, all known and above 0, ascending
};

// The ports that `ranks` of a node with `gpus` fill: those of the most frequent rate, since rails
// are alike and ports for storage or management are not. A rank fills as many as there are for each
// GPU, one at least.
struct UsedPorts {
  int ports = 0;          // 0: no rate is known
  double Gbit_per_s = 0;  // all of them together
};
UsedPorts ports_of_ranks(const NetworkPorts& all, int ranks, int gpus);

// How a library uses what a machine has.
enum class PortUse {
  kAll,        // all ports at once: NCCL, MPI
  kOneSocket,  // one interface, the fastest at best: Gloo
};

// The ports of `host` that are up and whose rate is known. RDMA adapters come before interfaces,
// whose ports they often are; bonds, VLANs and what containers make are no ports beside the
// interfaces below them, but the one interface of kOneSocket may be a bond. NCCL_IB_DISABLE and
// NCCL_IB_HCA among `variables` leave adapters out, as NCCL does ("^mlx5_0", "=mlx5_1:1,mlx5_2";
// NCCL's documentation of environment variables). No ports: nothing is known.
NetworkPorts network_ports(const Host& host, PortUse use,
                           const std::map<std::string, std::string>& variables = {});

// Containers and tunnels make interfaces with a speed, which come and go with jobs.
bool is_virtual_interface(std::string_view name);

}  // namespace scalemark::monitoring
