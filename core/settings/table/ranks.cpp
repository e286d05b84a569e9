// Options of the ranks: how they work together on one model, and how they are started.

#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/settings/layers.h"
#include "core/settings/processes.h"
#include "core/settings/table/table.h"

namespace scalemark::settings::table {
namespace {

std::vector<std::string_view> backend_choices() {
  std::vector<std::string_view> choices = catalogue::backend_names();
  choices.insert(choices.begin(), "auto");
  return choices;
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const auto& strategy : catalogue::all_strategies()) names.push_back(strategy.name);
  return names;
}

// The table refers to texts that outlive it.
const std::string& strategy_help() {
  static const std::string help = [] {
    std::string text;
    for (const auto& strategy : catalogue::all_strategies()) {
      text += (text.empty() ? "" : "; ") + strategy.name + ": " + strategy.summary;
    }
    return text + " (default: " + catalogue::default_strategy(2) + ", on 1 rank " +
           catalogue::default_strategy(1) + ")";
  }();
  return help;
}

}  // namespace

std::vector<Option> parallel_options() {
  return {
      {.name = "strategy",
       .kind = Kind::kChoice,
       .field = kField<&ParallelSettings::strategy>,
       .identity = Identity::kAxis,
       .help = strategy_help(),
       .choices = strategy_names()},
      {.name = "overlap",
       .kind = Kind::kSwitch,
       .field = kField<&ParallelSettings::overlap>,
       .identity = Identity::kAxis,
       .default_text = "on",
       .help = "exchange gradients while backward still runs"},
      {.name = "gradient_compression",
       .kind = Kind::kChoice,
       .field = kField<&ParallelSettings::gradient_compression>,
       .identity = Identity::kAxis,
       .default_text = "none",
       .help = "fp16, bf16: gradients are sent in half the bytes",
       .choices = names_of<GradientCompression>()},
      {.name = "bucket_cap_mb",
       .kind = Kind::kNumber,
       .field = kField<&ParallelSettings::bucket_cap_mb>,
       .identity = Identity::kAxis,
       .default_text = "25",
       .help = "size of a gradient bucket",
       .range = kAboveZero,
       .unit = "MiB",
       .tune_values = "25,1,5,10,50,100,200"},
      {.name = "first_bucket_cap_mb",
       .kind = Kind::kNumber,
       .field = kField<&ParallelSettings::first_bucket_cap_mb>,
       .identity = Identity::kAxis,
       .default_text = "1",
       .help = "size of the first bucket (a --bucket-cap-mb that is given counts for it too)",
       .range = kAboveZero,
       .unit = "MiB",
       .tune_values = "1,5,25"},
      {.name = "broadcast_buffers",
       .kind = Kind::kSwitch,
       .field = kField<&ParallelSettings::broadcast_buffers>,
       .identity = Identity::kAxis,
       .default_text = "on",
       .help = "rank 0's batch norm statistics to all before each forward"},
      {.name = "find_unused_parameters",
       .kind = Kind::kFlag,
       .field = kField<&ParallelSettings::find_unused_parameters>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "for networks that skip branches"},
      {.name = "static_graph",
       .kind = Kind::kFlag,
       .field = kField<&ParallelSettings::static_graph>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "promise that every step uses the same parameters"},
      {.name = "gradient_as_bucket_view",
       .kind = Kind::kFlag,
       .field = kField<&ParallelSettings::gradient_as_bucket_view>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "gradients are views of the buckets: no copy"},
      {.name = "local_steps",
       .kind = Kind::kCount,
       .field = kField<&ParallelSettings::local_steps>,
       .identity = Identity::kAxis,
       .default_text = "8",
       .help = "from one average of local-sgd to the next",
       .value_name = "H",
       .range = {.low = 1, .high = 1'000'000},
       .unit = "steps",
       .tune_values = "8,1,2,4,16"},
      {.name = "server",
       .kind = Kind::kChoice,
       .field = kField<&ParallelSettings::server>,
       .identity = Identity::kAxis,
       .default_text = "rank0",
       .help =
           "of parameter-server: rank 0, which trains as well, or a process beside the training "
           "ranks, the last one. On one node it is started with them, else one of the started "
           "ranks is it",
       .choices = names_of<Server>()},
      {.name = "precision",
       .kind = Kind::kChoice,
       .commands = kReproduce,
       .field = kField<&ParallelSettings::precision>,
       .identity = Identity::kAxis,
       .default_text = "fp32",
       .help = "arithmetic; refused where the hardware lacks it",
       .own_help = {{kReproduce, "of a table's precisions only this one"}},
       .choices = names_of<Precision>(),
       .tune_values = "fp32,amp-bf16"},
      {.name = "memory_format",
       .kind = Kind::kChoice,
       .field = kField<&ParallelSettings::memory_format>,
       .identity = Identity::kAxis,
       .default_text = "channels-last",
       .help = "order of image tensors",
       .choices = names_of<MemoryFormat>()},
      {.name = "activation_checkpointing",
       .kind = Kind::kSwitch,
       .field = kField<&ParallelSettings::activation_checkpointing>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "each residual block or encoder layer keeps only its input for backward, which runs "
               "its forward again: less memory, more time (resnet50, bert)"},
      {.name = "fused_layers",
       .kind = Kind::kSwitch,
       .field = kField<&ParallelSettings::fused_layers>,
       .identity = Identity::kAxis,
       .default_text = "on",
       .help = "what lies between convolutions or matrix products in few operations of ours "
               "(resnet50 in channels-last: norm + addition + ReLU; bert: dropout, layer norm, "
               "GELU, on a CPU attention); off: torch's operators"},
      {.name = "cuda_graphs",
       .kind = Kind::kSwitch,
       .field = kField<&ParallelSettings::cuda_graphs>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "on a GPU, capture all work of a step once, in the warm-up, and start it with one "
               "call from then on; refused where a step cannot be captured, with the reason"},
      {.name = "backend",
       .kind = Kind::kChoice,
       .commands = kComm,
       .field = kField<&ParallelSettings::backend, &CommSettings::backends>,
       .identity = Identity::kAxis,
       .default_text = "auto",
       .help = "communication backend (auto: nccl on cuda, gloo on cpu; of comm, which takes a "
               "list: every one that serves the device; mpi: on cpu, docs/LAUNCHING.md)",
       .choices = backend_choices()},
      {.name = "device",
       .kind = Kind::kChoice,
       .commands = kComm,
       .field = kField<&ParallelSettings::device>,
       .identity = Identity::kPoint,
       .default_text = "auto",
       .help = "where it computes (auto: cuda when there is a GPU)",
       .choices = names_of<DeviceKind>({"auto"})},
      {.name = "threads",
       .kind = Kind::kCount,
       .commands = kComm,
       .field = kField<&ParallelSettings::threads>,
       .identity = Identity::kAxis,
       .default_text = "auto",
       .help = "compute threads of one rank (auto: cores / ranks on this node)",
       .words = {"auto"},
       .range = {.low = 1, .high = 4096}},
      {.name = "empty_cache_every",
       .kind = Kind::kCount,
       .field = kField<&ParallelSettings::empty_cache_every>,
       .identity = Identity::kAxis,
       .default_text = "0",
       .help = "give memory that the allocator keeps back to the device after every N-th step, as "
               "torch.cuda.empty_cache() does; 0: never",
       .range = {.low = 0, .high = 1'000'000},
       .unit = "steps",
       .tune_values = "0,1"},
      {.name = "bind",
       .kind = Kind::kChoice,
       .commands = kComm,
       .field = kField<&ParallelSettings::bind>,
       .identity = Identity::kPoint,
       .default_text = "none",
       .help = "CPUs of each rank and of its loader threads; cores: as many physical cores for "
               "each, shared with none; numa: the memory node of its GPU, else nodes in turn, with "
               "their memory",
       .choices = names_of<placement::Bind>()},
      {.name = "memory_limit",
       .kind = Kind::kMemoryLimit,
       .commands = kComm,
       .field = kField<&ParallelSettings::memory_limit>,
       .identity = Identity::kPoint,
       .default_text = "auto",
       .help =
           "what tensors of one rank, on a CPU its input batches too, may hold: beyond it the rank "
           "is out of memory (auto: on a "
           "CPU 80 % of the rank's share of the machine's or cgroup's memory, on cuda all)",
       .value_name = "SIZE|RANK=SIZE,...",
       .words = {"auto"}},
  };
}

std::vector<Option> launch_options() {
  return {
      {.name = "nproc_per_node",
       .kind = Kind::kCount,
       .field = kField<&LaunchSettings::nproc_per_node>,
       .default_text = "1",
       .help = "ranks that this command starts here, replicas of data-parallel (auto: one per GPU; "
               "on cpu as many as --threads fit)",
       .words = {"auto"},
       .range = {.low = 1, .high = kMostRanksOfNode},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "nnodes",
       .kind = Kind::kCount,
       .field = kField<&LaunchSettings::nnodes>,
       .default_text = "1",
       .help = "nodes of the run; start the same command on each",
       .range = {.low = 1, .high = kMostNodes}},
      {.name = "node_rank",
       .kind = Kind::kCount,
       .field = kField<&LaunchSettings::node_rank>,
       .default_text = "0",
       .help = "which of the nodes this one is, from 0",
       .range = {.low = 0, .high = 65535},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "hostfile",
       .kind = Kind::kPath,
       .field = kField<&LaunchSettings::hostfile>,
       .help = "hosts with their numbers of ranks, in lines such as `n1 slots=8`: mpirun starts "
               "all, or with --node-rank this command those of its node",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "local_rank",
       .kind = Kind::kCount,
       .field = kField<&LaunchSettings::local_rank>,
       .help = "which rank of its node this process is, as torch.distributed.launch passes it",
       .range = {.low = 0, .high = 4095},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = kVariableOption,
       .kind = Kind::kVariable,
       .field = kField<&LaunchSettings::environment>,
       .identity = Identity::kAxis,
       .help = "start the ranks with this environment variable; may be given again, for others; "
               "sweep: each value in ranks of its own; NAME= is not set, \\, is a comma that "
               "belongs to a value; a key env.NAME in files (docs/SWEEP.md)",
       .value_name = "NAME=VALUE,...",
       .layer = true},
      {.name = "rendezvous",
       .field = kField<&LaunchSettings::rendezvous>,
       .help = "where the ranks meet, when no launcher says so",
       .value_name = "HOST:PORT|file:PATH",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "master_addr",
       .help = "host of --rendezvous, as torch spells it",
       .value_name = "HOST",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "master_port",
       .kind = Kind::kCount,
       .help = "port of --rendezvous, as torch spells it",
       .value_name = "PORT",
       .range = {.low = 1, .high = 65535},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "launcher",
       .kind = Kind::kChoice,
       .commands = kDoctor,
       .field = kField<&LaunchSettings::launcher>,
       .default_text = "auto",
       .help = "whose variables say which rank this is",
       .choices = {"auto", "local", "torch", "slurm", "openmpi", "flux", "pals", "jsrun", "pmi",
                   "kubernetes"},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "standalone",
       .kind = Kind::kFlag,
       .commands = kDoctor,
       .field = kField<&LaunchSettings::standalone>,
       .default_text = "off",
       .help = "ignore the variables of launchers"},
      {.name = "mpi_library",
       .kind = Kind::kChoice,
       .field = kField<&LaunchSettings::mpi_library>,
       .default_text = "auto",
       .help =
           "library of --backend mpi, and whose mpirun --hostfile takes (auto: the launcher's, else "
           "the first that is there)",
       .choices = {"auto", "openmpi", "mpich"}},
      {.name = "run_id",
       .field = kField<&LaunchSettings::run_id>,
       .help = "separates two jobs on one port (default: the launcher's job number)",
       .value_name = "TEXT"},
      {.name = "run_token",
       .kind = Kind::kPath,
       .help =
           "file with a secret that every rank must have: without one, whoever reaches the port "
           "of a run on several nodes can stop the run (docs/LAUNCHING.md)",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "timeout",
       .kind = Kind::kTimeouts,
       .field = kField<&LaunchSettings::timeout>,
       .default_text = "300",
       .help = "deadline of each phase (warmup, window, epochs: of a step), or of one: 600, or "
               "rendezvous=60,window=900",
       .value_name = "SECONDS|PHASE=SECONDS,..."},
  };
}

}  // namespace scalemark::settings::table
