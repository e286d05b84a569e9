#include "core/launch/detect.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/launch/launchers.h"
#include "core/launch/variables.h"
#include "core/launch/world.h"

namespace scalemark::launching {
namespace {

// Slurm numbers its own steps (batch script, interactive shell, ...) from the top.
constexpr std::int64_t kFirstReservedStep = 0xfffffff0;

enum class Source { kTorch, kSlurm, kOpenMpi, kFlux, kPals, kJsrun, kPmi, kKubernetes, kLocal };

// Whose ranks these may be, in the order in which they are looked for.
struct Launcher {
  Source source;
  std::string_view name, variable;
  Hints (*read)(const RankSource&);
};
template <const NumberedRanks& names>
Hints numbered(const RankSource& source) {
  return read_numbered(source, names);
}
constexpr auto kLaunchers = std::to_array<Launcher>({
    {Source::kTorch, "torch", "RANK, WORLD_SIZE", read_torch},
    {Source::kSlurm, "slurm", "SLURM_STEP_ID", read_slurm},
    {Source::kOpenMpi, "openmpi", "OMPI_COMM_WORLD_RANK", numbered<kOpenMpiRanks>},
    {Source::kFlux, "flux", "FLUX_TASK_RANK", numbered<kFluxRanks>},
    {Source::kPals, "pals", "PALS_RANKID", numbered<kPalsRanks>},
    {Source::kJsrun, "jsrun", "JSM_NAMESPACE_RANK", numbered<kJsrunRanks>},
    {Source::kPmi, "pmi", "PMI_RANK", read_pmi},
});

struct Present {
  std::set<Source> sources;
  bool torch_half = false;  // RANK without WORLD_SIZE, or the other way round

  std::string names() const {
    std::string list;
    for (const Launcher& launcher : kLaunchers) {
      if (!sources.contains(launcher.source)) continue;
      list += list.empty() ? "" : ", ";
      list.append(launcher.name).append(" (").append(launcher.variable).append(")");
    }
    return list;
  }
};

// Variables by which other launchers number their ranks, and those of which only a part arrived.
// Where they give no size, any process of theirs counts as one of several.
struct Unread {
  const char* rank;
  const char* size;  // empty: none
};
constexpr Unread kUnread[] = {
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},  // MVAPICH's mpirun_rsh
    {"MPIRUN_RANK", "MPIRUN_NPROCS"},                // the same before version 2
    {"HOROVOD_RANK", "HOROVOD_SIZE"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},  // jsrun of IBM
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PALS_RANKID", ""},  // Cray
    {"ALPS_APP_PE", ""},
    {"PMIX_RANK", ""},
    {"PMI_RANK", "PMI_SIZE"},  // where only one of the two is set
    {"LSF_PM_TASKID", ""},
    {"MPI_RANKID", "MPI_NRANKS"},  // Platform MPI
    {"MP_CHILD", "MP_PROCS"},      // POE of IBM
    {"PMI_ID", ""},
    {"PET_NODE_RANK", "PET_NNODES"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE"},
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"LWS_WORKER_INDEX", "LWS_GROUP_SIZE"},  // LeaderWorkerSet of Kubernetes
};

// The variable that says that this process is one of several: "MV2_COMM_WORLD_SIZE=2". Empty: none.
std::string unread_variable(const FieldReader& reader) {
  for (const auto& [rank, size] : kUnread) {
    const auto count = reader.text(size), number = reader.text(rank);
    if (count && *count != "1") return std::string(size) + "=" + *count;
    if (number && !count) return std::string(rank) + "=" + *number;
  }
  return "";
}

void note_unread_variable(const FieldReader& reader, bool starts_ranks, Detection& detection) {
  const std::string found = unread_variable(reader);
  if (found.empty()) return;
  detection.notes.push_back(
      found + " is set and not read: " +
      (starts_ranks ? "every process that its launcher starts starts ranks of its own"
                    : "this process is a run of its own") +
      "; start it with torchrun, srun, Open MPI's or MPICH's mpirun, or give each process RANK, "
      "WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT (--standalone: this "
      "is meant)");
}

bool is_a_step(const FieldReader& reader) {
  const auto step = reader.text("SLURM_STEP_ID");
  if (!step || !(reader.has("SLURM_PROCID") || reader.has("SLURM_STEP_NUM_TASKS"))) return false;
  const auto number = parse_whole<std::int64_t>(*step);
  return !number || *number < kFirstReservedStep;
}

// mpirun inside a Slurm allocation starts its daemons as a step of their own, and the ranks inherit
// that step's variables. `mark` is what a live MPI launcher sets beside rank and size.
bool step_is_of_the_daemons(const FieldReader& reader, const char* rank, const char* size,
                            std::initializer_list<const char*> marks) {
  bool live = false;
  for (const char* mark : marks) live = live || reader.has(mark);
  return live && reader.has(rank) && reader.has(size) &&
         (reader.text(rank) != reader.text("SLURM_PROCID") ||
          reader.text(size) != reader.text("SLURM_STEP_NUM_TASKS"));
}

bool are_set(const FieldReader& reader, const NumberedRanks& names) {
  return (reader.has(names.rank) || reader.has(names.local_rank)) && reader.has(names.size);
}

// A mpiexec of MPICH that one task of Flux or PALS has started: its ranks inherit that task's
// variables.
bool is_of_hydra(const FieldReader& reader) {
  const auto size = reader.text("PMI_SIZE"), tasks = reader.text("FLUX_JOB_SIZE");
  return reader.has("HYDI_CONTROL_FD") || (size && tasks && size != tasks);
}

Present what_is_present(const FieldReader& reader, const Request& request) {
  Present present;
  const auto add = [&](Source source, bool is_there) {
    if (is_there) present.sources.insert(source);
  };
  const bool has_pet = reader.has("PET_NNODES") || reader.has("PET_NPROC_PER_NODE");
  // Operators set RANK and WORLD_SIZE of the pod beside PET_*; torchrun sets LOCAL_RANK too.
  const bool of_the_pod = has_pet && !reader.has("LOCAL_RANK") &&
                          !reader.has("TORCHELASTIC_RUN_ID") && !request.launch.local_rank;
  const bool rank = reader.has("RANK") && !of_the_pod;
  const bool world_size = reader.has("WORLD_SIZE") && !of_the_pod;
  present.torch_half = rank != world_size;
  add(Source::kKubernetes, has_pet || reader.has("LWS_GROUP_SIZE"));
  add(Source::kTorch, rank && world_size);
  add(Source::kOpenMpi, reader.has("OMPI_COMM_WORLD_RANK") || reader.has("OMPI_COMM_WORLD_SIZE"));
  add(Source::kFlux, are_set(reader, kFluxRanks) && !is_of_hydra(reader));
  add(Source::kPals, are_set(reader, kPalsRanks) && !is_of_hydra(reader));
  add(Source::kJsrun, are_set(reader, kJsrunRanks));
  add(Source::kPmi, reader.has("PMI_RANK") && reader.has("PMI_SIZE"));
  add(Source::kSlurm,
      is_a_step(reader) &&
          !step_is_of_the_daemons(reader, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                  {"PMIX_RANK", "OMPI_MCA_ess_base_jobid"}) &&
          !step_is_of_the_daemons(reader, "PMI_RANK", "PMI_SIZE",
                                  {"PMI_FD", "PMI_PORT", "HYDI_CONTROL_FD"}));
  return present;
}

std::optional<Source> forced(const std::string& name) {
  if (name == "auto") return {};
  if (name == "local") return Source::kLocal;
  if (name == "kubernetes") return Source::kKubernetes;
  const auto found = std::ranges::find(kLaunchers, name, &Launcher::name);
  if (found != kLaunchers.end()) return found->source;
  throw bug("launcher " + name + " is a choice of --launcher that detection does not know");
}

bool world_is_typed(const Request& request) {
  return typed(request, "nproc_per_node") || typed(request, "nnodes") ||
         typed(request, "node_rank");
}

Source choose(const Request& request, const Present& present, Detection& detection) {
  if (const auto source = forced(request.launch.launcher)) return *source;
  if (request.launch.standalone) return Source::kLocal;
  const bool is_pod = present.sources.contains(Source::kKubernetes);
  const Source of_pod = is_pod ? Source::kKubernetes : Source::kLocal;
  if (world_is_typed(request)) {
    const auto ignored = present.names();
    if (!ignored.empty()) {
      detection.notes.push_back("the number of ranks is given as an option: the variables of " +
                                ignored + " are ignored");
      return Source::kLocal;
    }
    return of_pod;
  }
  for (const Launcher& launcher : kLaunchers) {
    if (present.sources.contains(launcher.source)) return launcher.source;
  }
  return of_pod;
}

void detect_rank(const Request& request, Source source, Detection& detection) {
  FieldReader reader(request.environment, detection.world.detected_from, detection.problems);
  const RankSource rank_source{reader, request, detection.world, detection.notes};
  const Hints hints = std::ranges::find(kLaunchers, source, &Launcher::source)->read(rank_source);
  if (!detection.problems.empty()) return;
  check_world(reader, detection.world);
  if (!detection.problems.empty()) return;
  detection.rendezvous = find_meeting_point(reader, request, hints, detection.world.world_size);
}

World only_rank_of(const NodePlan& plan) {
  World world;
  world.rank = first_rank_of(plan);
  world.world_size = world_size_of(plan);
  world.node = plan.node_rank;
  world.nodes = plan.nnodes;
  world.launcher = plan.nnodes == 1 ? "single" : plan.launcher;
  world.detected_from = plan.detected_from;
  return world;
}

void detect_node(const Request& request, bool use_pod, Detection& detection) {
  NodePlan plan;
  FieldReader reader(request.environment, plan.detected_from, detection.problems);
  if (use_pod && !what_is_present(reader, request).sources.contains(Source::kKubernetes)) {
    reader.refuse("PET_NNODES and PET_NPROC_PER_NODE are not set", "this launcher sets them");
  }
  const bool by_hostfile = !use_pod && !request.launch.hostfile.empty();
  const Hints hints = by_hostfile ? read_hosts(reader, request, plan)
                                  : read_node_plan(reader, request, use_pod, plan);
  if (request.launch.local_rank.value_or(0) != 0) {
    reader.refuse_usage("--local-rank " + std::to_string(*request.launch.local_rank) +
                            " without RANK and WORLD_SIZE",
                        "a launcher passes it together with these variables");
  }
  if (!detection.problems.empty()) return;
  const bool own_port = plan.nnodes == 1 && request.launch.rendezvous.empty();
  const int ranks = own_port && plan.hosts.empty() ? 1 : world_size_of(plan);
  plan.rendezvous = find_meeting_point(reader, request, hints, ranks);
  if (plan.nproc_per_node > 1 || !plan.hosts.empty()) {
    detection.node = plan;
    return;
  }
  detection.world = only_rank_of(plan);
  detection.rendezvous = plan.rendezvous;
}

bool read_spec(const Request& request, Detection& detection) {
  const auto found = request.environment.find(std::string(kRankSpecVariable));
  if (found == request.environment.end()) return false;
  try {
    const RankSpec spec = parse_rank_spec(found->second);
    detection.world = spec.world;
    detection.rendezvous = spec.rendezvous;
    detection.error_file = spec.error_file;
    detection.terminal = spec.terminal;
    detection.output = spec.output;
  } catch (const Error& error) {
    detection.problems.push_back(error.record());
  }
  return true;
}

}  // namespace

Detection detect(const Request& request) {
  Detection detection;
  if (read_spec(request, detection)) return detection;
  std::map<std::string, std::string> unused;
  FieldReader reader(request.environment, unused, detection.problems);
  const auto& launcher = request.launch.launcher;
  if (request.launch.standalone && launcher != "auto" && launcher != "local") {
    reader.refuse_usage("--standalone and --launcher " + launcher,
                        "--standalone ignores that launcher's variables");
    return detection;
  }
  const Present present = what_is_present(reader, request);
  const Source source = choose(request, present, detection);
  const bool automatic = launcher == "auto" && !request.launch.standalone;
  if (automatic && source == Source::kLocal && present.torch_half && present.names().empty() &&
      detection.notes.empty() && !typed(request, "nproc_per_node")) {
    const bool rank = reader.has("RANK");
    reader.refuse(std::string(rank ? "RANK" : "WORLD_SIZE") + " is set but " +
                      (rank ? "WORLD_SIZE" : "RANK") + " is not",
                  "both or none", "--standalone ignores them");
    return detection;
  }
  // A launcher whose variables are not read may start one process per node; these options number
  // them.
  const bool is_node =
      typed(request, "nnodes") || typed(request, "node_rank") || !request.launch.hostfile.empty();
  if (automatic && source == Source::kLocal && detection.notes.empty() && !is_node) {
    note_unread_variable(reader, typed(request, "nproc_per_node"), detection);
  }
  if (source == Source::kLocal || source == Source::kKubernetes) {
    try {
      detect_node(request, source == Source::kKubernetes, detection);
    } catch (const Error& error) {
      detection.problems.push_back(error.record());
    }
  } else {
    detect_rank(request, source, detection);
  }
  return detection;
}

std::optional<int> nodes_of_pod(const Detection& detection) {
  if (!detection.problems.empty()) return {};
  const auto& from = detection.node ? detection.node->detected_from : detection.world.detected_from;
  const std::string source = value_at(from, "nnodes");
  const auto says = {"PET_NNODES", "LWS_GROUP_SIZE", "--hostfile"};
  if (std::ranges::find(says, source) == says.end()) return {};
  return detection.node ? detection.node->nnodes : detection.world.nodes;
}

void refuse_if_invalid(const Detection& detection) {
  const auto& problems = detection.problems;
  if (problems.empty()) return;
  if (problems.size() == 1) throw Error(problems.front());
  ErrorRecord all = problems.front();
  all.what.clear();
  all.expected.clear();
  all.hint.clear();
  for (const auto& problem : problems) {
    if (problem.exit_code != ExitCode::kUsage) {
      all.exit_code = problem.exit_code;
      all.code = problem.code;
    }
    if (!all.what.empty()) all.what += " | ";
    all.what += problem.what;
    if (!problem.expected.empty()) all.what += ": " + problem.expected;
    if (all.hint.empty()) all.hint = problem.hint;
  }
  throw Error(all);
}

}  // namespace scalemark::launching
