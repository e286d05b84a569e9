// Who this process is among the ranks, and how they find each other. Plain data; joining happens in
// engine/distributed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/words.h"

namespace scalemark::launching {

struct World {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  int node = 0;
  int nodes = 1;
  std::string launcher = "single";  // single | local | torch | slurm | openmpi | pmi | kubernetes
  std::map<std::string, std::string> detected_from;  // field -> the variable that it was read from
};

// Where the ranks meet: an address with a TCPStore server, or a shared file.
struct Rendezvous {
  enum class Kind { kNone, kTcp, kFile };
  Kind kind = Kind::kNone;
  std::string host;
  std::uint16_t port = 0;
  std::string file;
  bool agent_store = false;  // torchrun's agent holds the store: every rank is a client, 0 too
  std::optional<int>
      listen_fd;  // rank 0 under the local launcher: the listening socket, already bound
  std::string run_id = "none";  // goes into every key prefix
  // Under an agent's store: the run id without the attempt, since the agents of two nodes may count
  // restarts differently. Empty: run_id.
  std::string store_id;
  // A secret of this launch that goes into every key prefix, too, and is never shown. Empty: none.
  std::string secret;
};

constexpr auto words_of(Rendezvous::Kind) {
  using enum Rendezvous::Kind;
  return std::to_array<Word<Rendezvous::Kind>>({{kNone, "none"}, {kTcp, "tcp"}, {kFile, "file"}});
}

// The built-in launcher has to start these ranks on this node: node_rank * nproc_per_node + i.
struct NodePlan {
  int nproc_per_node = 1;  // the same on every node
  int nnodes = 1;
  int node_rank = 0;
  std::string launcher = "local";  // local | kubernetes: who described the nodes
  Rendezvous rendezvous;           // kNone on one node: the launcher opens a port of its own
  // Whose mpirun starts the ranks ("openmpi"), and its path; empty: the launcher itself does.
  std::string mpi_library, mpirun;
  std::map<std::string, std::string> detected_from;
};

}  // namespace scalemark::launching
