#include "core/settings/table/table.h"
#include "core/settings/variables.h"

namespace scalemark::settings::table {
namespace {

std::vector<Option> rank_options() {
  return {
      {.name = "nproc_per_node",
       .kind = Kind::kCount,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::nproc_per_node>,
       .default_text = "1",
       .help = "ranks that this command starts here, replicas of data-parallel (auto: one per GPU; "
               "on cpu as many as --threads fit)",
       .value_name = "N|auto",
       .words = {"auto"},
       .range = {.low = 1, .high = 4096},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "nnodes",
       .kind = Kind::kCount,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::nnodes>,
       .default_text = "1",
       .help = "nodes of the run; start the same command on each",
       .value_name = "N",
       .range = {.low = 1, .high = 65536}},
      {.name = "node_rank",
       .kind = Kind::kCount,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::node_rank>,
       .default_text = "0",
       .help = "which of the nodes this one is, from 0",
       .value_name = "N",
       .range = {.low = 0, .high = 65535},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "local_rank",
       .kind = Kind::kCount,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::local_rank>,
       .help = "which rank of its node this process is, as torch.distributed.launch passes it",
       .value_name = "N",
       .range = {.low = 0, .high = 4095},
       .across_ranks = AcrossRanks::kMayDiffer},
  };
}

std::vector<Option> environment_options() {
  return {
      {.name = kVariableOption,
       .kind = Kind::kVariable,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::environment>,
       .identity = Identity::kAxis,
       .help = "start the ranks with this environment variable; may be given again, for others; "
               "sweep: each value in ranks of its own; NAME= is not set, \\, is a comma that "
               "belongs to a value; a key env.NAME in files (docs/SWEEP.md)",
       .value_name = "NAME=VALUE,...",
       .layer = true},
  };
}

std::vector<Option> meeting_options() {
  return {
      {.name = "rendezvous",
       .kind = Kind::kText,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::rendezvous>,
       .help = "where the ranks meet, when no launcher says so",
       .value_name = "HOST:PORT|file:PATH",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "master_addr",
       .kind = Kind::kText,
       .group = Group::kLaunch,
       .help = "host of --rendezvous, as torch spells it",
       .value_name = "HOST",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "master_port",
       .kind = Kind::kCount,
       .group = Group::kLaunch,
       .help = "port of --rendezvous, as torch spells it",
       .value_name = "PORT",
       .range = {.low = 1, .high = 65535},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "launcher",
       .kind = Kind::kChoice,
       .group = Group::kLaunch,
       .commands = kDoctor,
       .field = kField<&LaunchSettings::launcher>,
       .default_text = "auto",
       .help = "whose variables say which rank this is",
       .choices = {"auto", "local", "torch", "slurm", "openmpi", "pmi", "kubernetes"},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "standalone",
       .kind = Kind::kFlag,
       .group = Group::kLaunch,
       .commands = kDoctor,
       .field = kField<&LaunchSettings::standalone>,
       .default_text = "off",
       .help = "ignore the variables of launchers"},
      {.name = "mpi_library",
       .kind = Kind::kChoice,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::mpi_library>,
       .default_text = "auto",
       .help = "library of --backend mpi (auto: the launcher's, else the first that is there)",
       .choices = {"auto", "openmpi", "mpich"}},
      {.name = "run_id",
       .kind = Kind::kText,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::run_id>,
       .help = "separates two jobs on one port (default: the launcher's job number)",
       .value_name = "TEXT"},
      {.name = "run_token",
       .kind = Kind::kPath,
       .group = Group::kLaunch,
       .help =
           "file with a secret that every rank must have: without one, whoever reaches the port "
           "of a run on several nodes can stop the run (docs/LAUNCHING.md)",
       .value_name = "FILE",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "timeout",
       .kind = Kind::kTimeouts,
       .group = Group::kLaunch,
       .field = kField<&LaunchSettings::timeout>,
       .default_text = "300",
       .help = "deadline of each phase (warmup, window, epochs: of a step), or of one: 600, or "
               "rendezvous=60,window=900",
       .value_name = "SECONDS|PHASE=SECONDS,..."},
  };
}

}  // namespace

std::vector<Option> launch_options() {
  std::vector<Option> options = rank_options();
  for (Option& option : environment_options()) options.push_back(std::move(option));
  for (Option& option : meeting_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace scalemark::settings::table
