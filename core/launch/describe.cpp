#include "core/launch/describe.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "core/base/characters.h"
#include "core/base/text.h"
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

// MPICH's mpiexec cuts the list behind -hosts where it stands: its ends are no words of the person.
bool is_cut(const std::vector<std::string>& words) {
  const auto hosts = std::ranges::find_if(
      words, [](const std::string& word) { return word == "-hosts" || word == "--hosts"; });
  return std::distance(hosts, words.end()) > 2 && !hosts[2].starts_with('-');
}

// Values of variables and passwords may be among the words, which come into the report.
bool may_hold_secrets(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const std::string text = lower_case(word);
    return has_any(text, {"=", "env_list", "password", "secret", "token", "key"}) ||
           (text.starts_with('-') && has_any(text, {"env"}));  // a path may lead to a venv
  });
}

std::vector<std::string> words_of_process(int pid) {
  std::istringstream text(
      monitoring::read_text("/proc/" + std::to_string(pid) + "/cmdline").value_or(""));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  return words;
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

std::vector<std::string> words_before(std::vector<std::string> command_line,
                                      const std::vector<std::string>& arguments) {
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  if (command_line.size() <= arguments.size()) return {};
  const auto own = command_line.end() - std::ssize(arguments);
  if (!std::equal(own, command_line.end(), arguments.begin())) return {};
  if (name_of(*std::prev(own)) != "scalemark") return {};
  command_line.erase(std::prev(own), command_line.end());
  if (is_cut(command_line) || may_hold_secrets(command_line)) return {};
  // Linux puts the interpreter before a script that was typed alone.
  if (command_line.size() > 1 && name_of(command_line[1]) == "torchrun") {
    command_line.erase(command_line.begin());
    command_line.front() = "torchrun";
  }
  return command_line;
}

std::vector<std::string> launcher_words(const World& world,
                                        const std::vector<std::string>& arguments) {
  // A pod may set RANK of its own, which everything in it inherits.
  for (const char* field : {"local_rank", "rank"}) {
    const auto variable = world.detected_from.find(field);
    if (variable == world.detected_from.end()) continue;
    int pid = mpi_launcher_pid(variable->second).value_or(0);
    for (int i = 0; i < kMostAncestors && pid > 1; ++i, pid = parent_of(pid)) {
      auto words = words_before(words_of_process(pid), arguments);
      if (!words.empty()) return words;
    }
  }
  return {};
}

Request make_request(const settings::Settings& settings) {
  Request request;
  request.environment = snapshot_environment();
  request.launch = settings.launch;
  if (!settings.launch.hostfile.empty()) {
    // The ranks of mpirun have the option, too, and perhaps no file: only who starts them needs it.
    const std::filesystem::path path = settings.launch.hostfile;
    std::error_code unknown;
    const bool is_folder = std::filesystem::is_directory(path, unknown);
    if (!is_folder) request.hostfile = monitoring::read_text(path);
    const std::string name = "'" + path.string() + "'";
    request.why_no_hostfile = is_folder                                ? name + " is a folder"
                              : std::filesystem::exists(path, unknown) ? "cannot read " + name
                                                                       : "there is no " + name;
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
