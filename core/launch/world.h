// Who this process is among the ranks, and how they find each other: plain data, which the built-in
// launcher passes to its ranks as one JSON line. Joining happens in engine/distributed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/terminal.h"
#include "core/base/words.h"

namespace scalemark::launching {

struct World {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  int node = 0;
  int nodes = 1;
  std::string launcher = "single";                   // single, or a choice of --launcher but auto
  std::map<std::string, std::string> detected_from;  // field -> the variable that it was read from
  // The launcher does not number the nodes: `node` and `nodes` assume that the ranks fill them in
  // order, until the ranks have met and told each other their machines.
  bool assumes_node = false;
  std::string node_list;  // the nodes' names as Slurm lists them: "n[1-3,7]"; empty: not known
};

// A rank tells the others its place once all have met.
struct RankPlace {
  std::optional<int> node;  // its launcher's number; absent: it does not number the nodes
  std::string machine;      // tells its machine from any other of the run
};

// Returns the node of each rank: the launcher's number where each has one, else the machines' in
// the order of their first ranks.
std::vector<int> nodes_of(const std::vector<RankPlace>& ranks);

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
  // The run id without the attempt, since the agents of two nodes may count restarts differently.
  // Empty: run_id.
  std::string store_id;
  // A secret of this launch that goes into every key prefix, too, and is never shown. Empty: none.
  std::string secret;
};

constexpr auto words_of(Rendezvous::Kind) {
  using enum Rendezvous::Kind;
  return std::to_array<Word<Rendezvous::Kind>>({{kNone, "none"}, {kTcp, "tcp"}, {kFile, "file"}});
}

// The built-in launcher has to start these ranks on this node: first_rank_of() + i.
struct NodePlan {
  int nproc_per_node = 1;           // on this node
  std::vector<int> ranks_of_nodes;  // where they differ; empty: nproc_per_node on every node
  int nnodes = 1;
  int node_rank = 0;
  std::string launcher = "local";  // local | kubernetes | mpirun: who described the nodes
  // "n1:8,n2:4": mpirun starts the ranks on these hosts, in this launcher's place. Empty: it does
  // not.
  std::string hosts;
  Rendezvous rendezvous;  // kNone on one node: the launcher opens a port of its own
  // Whose mpirun starts the ranks ("openmpi"), and its path; empty: the launcher itself does.
  std::string mpi_library, mpirun;
  std::map<std::string, std::string> detected_from;
};

int first_rank_of(const NodePlan& plan);
int world_size_of(const NodePlan& plan);

// The built-in launcher passes this to each rank that it starts, as one JSON line in one
// environment variable.

inline constexpr std::string_view kRankSpecVariable = "SCALEMARK_RANK_SPEC";

struct RankSpec {
  World world;
  Rendezvous rendezvous;
  std::string error_file;  // where this rank writes why it failed; empty: nowhere
  bool terminal = false;   // the launcher's stderr is a terminal and this rank may draw on it
  Terminal output;         // the kind of the launcher's stdout, where results go
  // The launcher ignores them since its start; mpirun resets them.
  std::vector<int> ignored_signals;
};

std::string to_json(const RankSpec& spec);

// Throws Error (78) when the text lacks a field or no rank can have its values.
RankSpec parse_rank_spec(std::string_view json);

}  // namespace scalemark::launching
