// How each launcher describes a rank, or a node that starts its own: one function per launcher,
// from variables to World. Private to the detection; detect.cpp chooses between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/launch/detect.h"
#include "core/launch/variables.h"

namespace scalemark::launching {

// The variables say this about where the ranks meet, before options and defaults are applied.
struct Hints {
  std::string host;                 // empty: the launcher names none
  std::string host_from;            // variable
  std::optional<std::string> port;  // text that nothing has checked
  std::string port_from;            // variable
  std::optional<std::string> run_id;
  std::string run_id_from;
  bool agent_store = false;
  std::string attempt;  // counts torchrun's restarts; empty: the first attempt
};

struct RankSource {
  FieldReader& reader;
  const Request& request;
  World& world;
  std::vector<std::string>& notes;
};

Hints read_torch(const RankSource& source);
Hints read_slurm(const RankSource& source);
Hints read_pmi(const RankSource& source);

// A launcher that numbers its ranks in variables and names no address. Empty: it has none.
struct NumberedRanks {
  const char *launcher, *rank, *size, *local_rank, *local_size, *node, *nodes, *id;
};
// OMPI_COMM_WORLD_NODE_RANK is not read: it is the rank on the node, not the node's number.
inline constexpr NumberedRanks kOpenMpiRanks{"openmpi",
                                             "OMPI_COMM_WORLD_RANK",
                                             "OMPI_COMM_WORLD_SIZE",
                                             "OMPI_COMM_WORLD_LOCAL_RANK",
                                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                                             "",
                                             "OMPI_MCA_orte_num_nodes",
                                             "PMIX_NAMESPACE"};
// Its plugin cray-pals adds PALS_NODEID (flux-environment(7), flux-shell-cray-pals(1)).
inline constexpr NumberedRanks kFluxRanks{
    "flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE",   "FLUX_TASK_LOCAL_ID",
    "",     "PALS_NODEID",    "FLUX_JOB_NNODES", "FLUX_JOB_ID"};
// mpiexec of HPE Cray's PALS, which passes sizes by Cray PMI's names.
inline constexpr NumberedRanks kPalsRanks{
    "pals",           "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID",
    "PMI_LOCAL_SIZE", "PALS_NODEID", "",         "PALS_APID"};
// jsrun of IBM's Job Step Manager, in a job of LSF.
inline constexpr NumberedRanks kJsrunRanks{"jsrun",
                                           "JSM_NAMESPACE_RANK",
                                           "JSM_NAMESPACE_SIZE",
                                           "JSM_NAMESPACE_LOCAL_RANK",
                                           "JSM_NAMESPACE_LOCAL_SIZE",
                                           "",
                                           "",
                                           "LSB_JOBID"};
Hints read_numbered(const RankSource& source, const NumberedRanks& names);

// Fills the plan of a node that starts its own ranks: typed options, then PET_* and LWS_* (with
// `use_pod`), then the remaining settings.
Hints read_node_plan(FieldReader& reader, const Request& request, bool use_pod, NodePlan& plan);

// The same from --hostfile: this node's ranks with --node-rank, else those that mpirun starts.
// Throws no_input() (66) and bad_data() (65).
Hints read_hosts(FieldReader& reader, const Request& request, NodePlan& plan);

// Refuses contradictory fields by name: rank >= world_size, local_rank >= local_world_size, ...
void check_world(FieldReader& reader, const World& world);

// Where `ranks` ranks meet; kNone for one. Missing pieces are problems.
Rendezvous find_meeting_point(FieldReader& reader, const Request& request, const Hints& hints,
                              int ranks);

bool typed(const Request& request, const std::string& option);  // origin "option" or "set"
bool given(const Request& request, const std::string& option);  // any origin but "default"

}  // namespace scalemark::launching
