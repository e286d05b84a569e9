#include "core/launch/describe.h"

#include <unistd.h>

#include <sstream>

#include "core/launch/detect.h"
#include "core/machine/gpus.h"
#include "core/machine/text_file.h"

namespace scalemark::launching {
namespace {

using Sources = std::map<std::string, std::string>;

constexpr std::size_t kColumn = 44;

std::string from(const Sources& sources, std::initializer_list<const char*> fields) {
  std::string list;
  for (const char* field : fields) {
    const auto found = sources.find(field);
    if (found == sources.end() || list.find(found->second) != std::string::npos) continue;
    list += (list.empty() ? "" : ", ") + found->second;
  }
  return list;
}

std::string row(std::string text, const std::string& source) {
  if (source.empty()) return text;
  if (text.size() < kColumn) text.resize(kColumn, ' ');
  return text + "  from " + source;
}

std::string of(int a, int b) { return std::to_string(a) + " of " + std::to_string(b); }

std::string place(const Rendezvous& rendezvous) {
  switch (rendezvous.kind) {
    case Rendezvous::Kind::kFile:
      return "file " + rendezvous.file;
    case Rendezvous::Kind::kTcp: {
      const bool ipv6 = rendezvous.host.find(':') != std::string::npos;
      const auto host = ipv6 ? "[" + rendezvous.host + "]" : rendezvous.host;
      return host + ":" + std::to_string(rendezvous.port) +
             (rendezvous.agent_store ? " (store held by torchrun's agent)" : "");
    }
    case Rendezvous::Kind::kNone:
      break;
  }
  return "not needed";
}

void add_meeting(const Rendezvous& rendezvous, const Sources& sources,
                 std::vector<std::string>& lines) {
  lines.push_back(row("rendezvous: " + place(rendezvous), from(sources, {"rendezvous", "port"})));
  lines.push_back(row("run id: " + rendezvous.run_id, from(sources, {"run_id"})));
}

std::vector<std::string> describe_node(const NodePlan& plan) {
  const auto& sources = plan.detected_from;
  std::vector<std::string> lines = {"launcher: " + plan.launcher +
                                    " (this process starts the ranks)"};
  lines.push_back(row("ranks to start: " + std::to_string(plan.nproc_per_node),
                      from(sources, {"nproc_per_node"})));
  lines.push_back(
      row("node: " + of(plan.node_rank, plan.nnodes), from(sources, {"node_rank", "nnodes"})));
  if (plan.rendezvous.kind == Rendezvous::Kind::kNone) {
    lines.emplace_back("rendezvous: a free port of this host, opened by the launcher");
  } else {
    add_meeting(plan.rendezvous, sources, lines);
  }
  return lines;
}

std::vector<std::string> describe_rank(const World& world, const Rendezvous& rendezvous) {
  const auto& sources = world.detected_from;
  std::vector<std::string> lines = {"launcher: " + world.launcher};
  lines.push_back(
      row("rank: " + of(world.rank, world.world_size), from(sources, {"rank", "world_size"})));
  lines.push_back(row("local rank: " + of(world.local_rank, world.local_world_size),
                      from(sources, {"local_rank", "local_world_size"})));
  lines.push_back(row("node: " + of(world.node, world.nodes), from(sources, {"node", "nodes"})));
  add_meeting(rendezvous, sources, lines);
  return lines;
}

}  // namespace

std::vector<std::string> describe(const Detection& detection) {
  std::vector<std::string> lines;
  if (!detection.problems.empty()) {
    for (const auto& problem : detection.problems) {
      lines.push_back("problem: " + problem.what +
                      (problem.expected.empty() ? "" : "; " + problem.expected) +
                      (problem.hint.empty() ? "" : ". Hint: " + problem.hint));
    }
  } else {
    lines = detection.node ? describe_node(*detection.node)
                           : describe_rank(detection.world, detection.rendezvous);
  }
  for (const auto& note : detection.notes) lines.push_back("note: " + note);
  return lines;
}

namespace {

// The impure half of the detection reads this process and its machine.

constexpr int kMostAncestors = 64;

bool has_variable(int pid, const std::string& name) {
  const auto environment =
      '\0' + monitoring::read_text("/proc/" + std::to_string(pid) + "/environ").value_or("");
  return environment.find('\0' + name + "=") != std::string::npos;
}

// The fourth field of /proc/PID/stat; the second, the name, may hold spaces and brackets.
int parent_of(int pid) {
  const auto stat = monitoring::read_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const auto bracket = stat.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream rest(stat.substr(bracket + 1));
  std::string state;
  int parent = 0;
  return rest >> state >> parent ? parent : 0;
}

int ranks_of_auto(const Environment& environment) {
  const auto visible = environment.find("CUDA_VISIBLE_DEVICES");
  return std::max(1,
                  monitoring::visible_gpu_count(
                      visible == environment.end() ? std::nullopt : std::optional(visible->second),
                      monitoring::gpu_device_files()));
}

}  // namespace

std::optional<int> mpi_launcher_pid(const std::string& variable) {
  int pid = getppid();
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    if (!has_variable(pid, variable)) return pid;
    pid = parent_of(pid);
  }
  return {};
}

Request make_request(const settings::Settings& settings) {
  Request request;
  request.environment = snapshot_environment();
  request.launch = settings.launch;
  if (!settings.launch.hostfile.empty()) {
    request.hostfile = monitoring::read_text(settings.launch.hostfile);
  }
  request.user = std::to_string(getuid());
  request.origins = settings.origins;
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (!request.environment.contains(variable)) continue;
    request.launcher_pid = mpi_launcher_pid(variable);
    break;
  }
  request.auto_nproc_per_node = ranks_of_auto(request.environment);
  return request;
}

}  // namespace scalemark::launching
