// Reads from NCCL's log (NCCL_DEBUG=INFO) how it carries data within a node and between nodes, and
// over which adapters: NCCL has no call that tells. The lines are those of NCCL 2.18 to 2.30
// (transport/p2p.cc, shm.cc, net.cc, net_ib, net_socket.cc, graph/search.cc, init.cc). Pure.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalemark::monitoring {

// Subsystems of NCCL_DEBUG_SUBSYS whose lines the reader needs; none writes while data flows.
inline constexpr const char* kNcclLogSubsystems = "INIT,GRAPH";

inline constexpr const char* kNvlink = "NVLink";  // a transport, within a node and between nodes

// The transports and adapters that NCCL chose on one machine. An empty list is not known.
struct NcclChoice {
  std::string host;
  // Transports in the order of the alphabet: "NVLink", "PCIe peer to peer", "peer to peer" where
  // its graph is not known, "shared memory"; "InfiniBand", "RoCE", "sockets" and "plugin NAME", the
  // last but sockets also "with GPUDirect".
  std::vector<std::string> within, between;
  std::vector<std::string> adapters;  // in NCCL's order: "mlx5_0:1/IB", "eth0"
  std::string unknown;                // why nothing is known; may be empty

  bool empty() const {
    return within.empty() && between.empty() && adapters.empty() && unknown.empty();
  }
};

// Adds what another rank of the same machine knows.
void add(NcclChoice& all, const NcclChoice& of_rank);

// Reads the log of one process in pieces. Lines without an end and lines of another form are left
// out, whatever bytes they hold.
class NcclLogReader {
 public:
  // `node_of_rank` has the node of each rank of the communicator whose lines these are; empty: its
  // channels are not wanted.
  void read(std::string_view text, std::span<const int> node_of_rank);

  NcclChoice choice() const;

 private:
  struct Network {
    std::string name;  // "IB", "Socket", or a plugin's
    bool with_gpu_direct = false;
    auto operator<=>(const Network&) const = default;
  };

  void read_channel(std::string_view line, std::span<const int> node_of_rank, bool& by_peers);
  void read_adapters(std::string_view line);
  std::string word(const Network& network) const;

  std::set<std::string> within_, between_;  // transports without a network
  std::set<Network> networks_within_, networks_between_;
  std::string network_;                                       // the last communicator's
  std::map<std::string, std::vector<std::string>> adapters_;  // by network
};

}  // namespace scalemark::monitoring
