#include "core/launch/launchers.h"

#include <algorithm>

#include "core/base/words.h"
#include "core/launch/meeting_point.h"
#include "core/launch/slurm_lists.h"
#include "core/launch/variables.h"

namespace scalemark::launching {
namespace {

int ceil_div(int a, int b) { return (a - 1) / b + 1; }

// --local-rank wins over the variable, as every typed option does.
std::optional<int> local_rank_of(const RankSource& source,
                                 std::initializer_list<const char*> names) {
  if (source.request.launch.local_rank) {
    source.reader.derived("local_rank", "--local-rank");
    return source.request.launch.local_rank;
  }
  return source.reader.number("local_rank", names);
}

// For launchers that do not number the nodes: assumes that the ranks fill them in order, which they
// do not under mpirun --map-by node.
void number_the_nodes(const RankSource& source, std::optional<int> node, std::optional<int> nodes) {
  World& world = source.world;
  const int per_node = std::max(1, world.local_world_size);
  if (!nodes) source.reader.derived("nodes", "world_size / local_world_size");
  if (!node) source.reader.derived("node", "rank / local_world_size");
  world.nodes = nodes.value_or(ceil_div(std::max(1, world.world_size), per_node));
  world.assumes_node = !node;
  world.node = node.value_or(std::min(world.rank / per_node, std::max(1, world.nodes) - 1));
}

// Where a launcher gives no local size: counts this rank and those before it on the node.
int assume_local_size(const RankSource& source, int local_rank, const std::string& of_rank,
                      const std::string& missing) {
  source.reader.derived("local_world_size", of_rank + " + 1");
  if (source.world.world_size > 1) {
    source.notes.push_back(missing + " is not set: " + std::to_string(local_rank + 1) +
                           " rank(s) on this node are assumed");
  }
  return local_rank + 1;
}

// RANK and WORLD_SIZE may be set by hand, without LOCAL_RANK and LOCAL_WORLD_SIZE.
void guess_local_pair(const RankSource& source, std::optional<int> local_rank,
                      std::optional<int> local_world_size, bool one_host) {
  World& world = source.world;
  FieldReader& reader = source.reader;
  if (one_host && !local_world_size) {
    local_world_size = world.world_size;
    reader.derived("local_world_size", "WORLD_SIZE (MASTER_ADDR is this host)");
  }
  if (!local_world_size) {
    local_world_size =
        assume_local_size(source, local_rank.value_or(0), "LOCAL_RANK", "LOCAL_WORLD_SIZE");
  }
  if (!local_rank) {
    local_rank = world.rank % std::max(1, *local_world_size);
    reader.derived("local_rank", "RANK modulo local_world_size");
  }
  world.local_rank = *local_rank;
  world.local_world_size = *local_world_size;
}

void read_master(const RankSource& source, Hints& hints) {
  if (const auto host = source.reader.text("MASTER_ADDR")) {
    hints.host = *host;
    hints.host_from = "MASTER_ADDR";
  }
  hints.port = source.reader.text("MASTER_PORT");
  hints.port_from = "MASTER_PORT";
}

// These launchers name no address. On one node none is needed; the port is derived from an id that
// only this job has.
void meet_without_address(const RankSource& source, Hints& hints, const char* id) {
  const World& world = source.world;
  const bool one_node = world.local_world_size == world.world_size;
  if (const auto job = source.reader.text(id)) {
    hints.run_id = job;
    hints.run_id_from = id;
  } else if (one_node && source.request.launcher_pid) {
    hints.run_id = world.launcher + "-" + std::to_string(*source.request.launcher_pid);
    hints.run_id_from = "process id of the launcher";
  }
  if (hints.host.empty() && one_node) {
    hints.host = "127.0.0.1";
    hints.host_from = "all ranks are on this node";
  }
}

int slurm_tasks_here(const RankSource& source) {
  const World& world = source.world;
  FieldReader& reader = source.reader;
  if (const auto list = reader.string("local_world_size", {"SLURM_STEP_TASKS_PER_NODE"})) {
    if (const auto tasks = tasks_on_node(*list, world.node)) return *tasks;
    reader.refuse("SLURM_STEP_TASKS_PER_NODE=" + *list + " does not give the number of tasks of " +
                      reader.named("node", world.node),
                  "task counts such as 2(x3),1");
    return world.local_rank + 1;
  }
  const int nodes = std::max(1, world.nodes);
  if (world.world_size % nodes != 0) {
    reader.refuse("SLURM_STEP_TASKS_PER_NODE is not set", "this launcher sets it");
  }
  reader.derived("local_world_size", "SLURM_STEP_NUM_TASKS / nodes");
  return ceil_div(std::max(1, world.world_size), nodes);
}

}  // namespace

Hints read_torch(const RankSource& source) {
  World& world = source.world;
  FieldReader& reader = source.reader;
  world.launcher = "torch";
  world.rank = reader.required("rank", {"RANK"}, 0);
  world.world_size = reader.required("world_size", {"WORLD_SIZE"}, 1);
  Hints hints;
  read_master(source, hints);
  const auto local_rank = local_rank_of(source, {"LOCAL_RANK"});
  const auto local_world_size = reader.number("local_world_size", {"LOCAL_WORLD_SIZE"});
  guess_local_pair(source, local_rank, local_world_size, is_loopback(hints.host));
  number_the_nodes(source, reader.number("node", {"GROUP_RANK"}),
                   reader.number("nodes", {"GROUP_WORLD_SIZE"}));

  const auto agent = reader.text("TORCHELASTIC_USE_AGENT_STORE");
  hints.agent_store = agent && (*agent == "True" || *agent == "true" || *agent == "1");
  const auto id = reader.text("TORCHELASTIC_RUN_ID");
  if (id && *id != "none") {
    hints.run_id = id;
    hints.run_id_from = "TORCHELASTIC_RUN_ID";
  }
  // The agent's store outlives a restart, and with it the keys of the attempt that failed.
  const auto attempt = reader.text("TORCHELASTIC_RESTART_COUNT");
  if (attempt && *attempt != "0") hints.attempt = *attempt;
  return hints;
}

Hints read_slurm(const RankSource& source) {
  World& world = source.world;
  FieldReader& reader = source.reader;
  world.launcher = "slurm";
  if (!reader.has("SLURM_STEP_ID")) {
    reader.refuse("SLURM_STEP_ID is not set", "a step started by srun sets it",
                  "put srun in front of the command");
  }
  world.rank = reader.required("rank", {"SLURM_PROCID"}, 0);
  world.world_size = reader.required("world_size", {"SLURM_STEP_NUM_TASKS"}, 1);
  world.nodes = reader.required("nodes", {"SLURM_STEP_NUM_NODES"}, 1);
  world.node = reader.required("node", {"SLURM_NODEID"}, 0);
  const auto local_rank = local_rank_of(source, {"SLURM_LOCALID"});
  world.local_rank = local_rank ? *local_rank : reader.required("local_rank", {"SLURM_LOCALID"}, 0);
  world.local_world_size = slurm_tasks_here(source);

  Hints hints;
  read_master(source, hints);
  const auto list = reader.text("SLURM_STEP_NODELIST");
  world.node_list = list.value_or("");
  if (hints.host.empty() && list) {
    const auto hosts = expand_nodelist(*list);
    if (!hosts) reader.refuse("SLURM_STEP_NODELIST=" + *list, "a host list such as n[1-3,7]");
    hints.host = hosts ? hosts->front() : "";
    hints.host_from = "SLURM_STEP_NODELIST";
  }
  const auto job = reader.text("SLURM_JOB_ID");
  const auto step = reader.text("SLURM_STEP_ID");
  if (job && step) {
    hints.run_id = *job + "." + *step;
    hints.run_id_from = "SLURM_JOB_ID.SLURM_STEP_ID";
  }
  return hints;
}

Hints read_numbered(const RankSource& source, const NumberedRanks& names) {
  World& world = source.world;
  FieldReader& reader = source.reader;
  world.launcher = names.launcher;
  world.rank = reader.required("rank", {names.rank}, 0);
  world.world_size = reader.required("world_size", {names.size}, 1);
  const auto local_rank = local_rank_of(source, {names.local_rank});
  world.local_rank =
      local_rank ? *local_rank : reader.required("local_rank", {names.local_rank}, 0);
  auto nodes = reader.number("nodes", {names.nodes});
  if (*names.local_size != '\0') {
    world.local_world_size = reader.required("local_world_size", {names.local_size}, 1);
  } else {
    nodes = std::max(1, reader.required("nodes", {names.nodes}, 1));
    world.local_world_size = ceil_div(std::max(1, world.world_size), *nodes);
    reader.derived("local_world_size", std::string(names.size) + " / " + names.nodes);
    if (world.world_size % *nodes != 0) {
      reader.refuse(
          reader.named("world_size", world.world_size) + " with " + reader.named("nodes", *nodes),
          "as many tasks on each node: this launcher does not say how many one has");
    }
  }
  auto node = reader.number("node", {names.node});
  // Where only the node's number tells that nodes are unequal, it may not be guessed.
  if (*names.node != '\0' && *names.nodes == '\0') node = reader.required("node", {names.node}, 0);
  number_the_nodes(source, node, nodes);
  Hints hints;
  read_master(source, hints);
  meet_without_address(source, hints, names.id);
  return hints;
}

Hints read_pmi(const RankSource& source) {
  World& world = source.world;
  FieldReader& reader = source.reader;
  world.launcher = "pmi";
  world.rank = reader.required("rank", {"PMI_RANK"}, 0);
  world.world_size = reader.required("world_size", {"PMI_SIZE"}, 1);
  const auto local_rank = local_rank_of(source, {"MPI_LOCALRANKID", "PMI_LOCAL_RANK"});
  const auto local_size = reader.number("local_world_size", {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"});
  if (!local_rank && world.world_size > 1) {
    reader.refuse("MPI_LOCALRANKID is not set", "this launcher sets it", "give --local-rank");
  }
  world.local_rank = local_rank.value_or(0);
  world.local_world_size = local_size ? *local_size
                                      : assume_local_size(source, world.local_rank,
                                                          "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  number_the_nodes(source, {}, {});
  Hints hints;
  read_master(source, hints);
  if (local_size) meet_without_address(source, hints, "PMIX_NAMESPACE");
  return hints;
}

void check_world(FieldReader& reader, const World& world) {
  const auto world_size = reader.named("world_size", world.world_size);
  const auto local_size = reader.named("local_world_size", world.local_world_size);
  if (world.world_size < 1) return reader.refuse(world_size, "at least 1");
  if (world.local_world_size < 1) return reader.refuse(local_size, "at least 1");
  if (world.rank >= world.world_size) {
    reader.refuse(reader.named("rank", world.rank) + " with " + world_size,
                  "a rank below the world size");
  }
  if (world.local_world_size > world.world_size) {
    reader.refuse(local_size + " with " + world_size, "no more ranks on a node than in all");
  }
  if (world.local_rank >= world.local_world_size) {
    reader.refuse(reader.named("local_rank", world.local_rank) + " with " + local_size,
                  "a local rank below the number of ranks on the node");
  }
  if (world.node >= world.nodes) {
    reader.refuse(reader.named("node", world.node) + " with " + reader.named("nodes", world.nodes),
                  "a node number below the number of nodes");
  }
}

}  // namespace scalemark::launching
