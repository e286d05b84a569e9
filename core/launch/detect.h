// Which launcher started this process, and what its variables say about its place: pure functions
// over a snapshot. Knows nothing of sockets, stores and processes. docs/LAUNCHING.md lists the
// variables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/launch/variables.h"
#include "core/launch/world.h"
#include "core/settings/settings.h"

namespace scalemark::launching {

struct Request {
  Environment environment;
  settings::LaunchSettings launch;
  // Where each setting came from (see Settings::origins). A number of ranks from a config file or a
  // default yields to a launcher, a typed one (origin "option" or "set") does not.
  std::map<std::string, std::string> origins;
  int auto_nproc_per_node = 1;  // PET_NPROC_PER_NODE=auto stands for so many on this machine
  // Process that started the ranks of an MPI launcher on this node; distinguishes two jobs whose
  // variables are equal. See mpi_launcher_pid().
  std::optional<int> launcher_pid;
  std::optional<std::string> hostfile;  // text of --hostfile; absent: it cannot be read
  std::string why_no_hostfile;          // "'hosts' is a folder"
  std::string user;                     // user id as text; empty: not looked up
};

struct Detection {
  World world;
  Rendezvous rendezvous;
  std::optional<NodePlan> node;  // present: this process is no rank, it starts the ranks of a node
  std::string error_file;        // set by the built-in launcher, empty otherwise
  std::optional<bool> terminal;  // under the built-in launcher: may this rank draw a progress bar?
  std::optional<Terminal> output;     // under it, too: what the rank's results go to
  std::vector<std::string> notes;     // may surprise the user; one sentence each
  std::vector<ErrorRecord> problems;  // when not empty, the fields above mean nothing
};

// Order: SCALEMARK_RANK_SPEC (a rank of the built-in launcher), typed options, torch, a Slurm step,
// Open MPI, Flux, PALS, jsrun, PMI, PET_* or LWS_* (a Kubernetes pod is a node that starts its own
// ranks), built-in, with --hostfile or without. Never throws: all problems are listed.
Detection detect(const Request& request);

// How many nodes PET_NNODES, LWS_GROUP_SIZE or --hostfile says that the run has, in a pod and in
// the ranks that it starts, which get no PET_*. Absent where detect() found the number elsewhere,
// or problems.
std::optional<int> nodes_of_pod(const Detection& detection);

// Throws one Error that lists every problem: 64 when each is a missing or contradictory argument,
// else 78.
void refuse_if_invalid(const Detection& detection);

// Impure: reads this process's environment, the MPI launcher's pid, the GPUs.
Request make_request(const settings::Settings& settings);

// Impure: finds the nearest ancestor in whose environment `variable` is not set, that is the
// process that set it for us; wrapper scripts between the two inherit it and are passed over.
std::optional<int> mpi_launcher_pid(const std::string& variable);

}  // namespace scalemark::launching
