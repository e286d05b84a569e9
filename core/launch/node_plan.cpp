// Nodes that start their own ranks, by options, a pod's variables, or --hostfile: hosts with the
// number of ranks of each, as mpirun and DeepSpeed read them.
#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/launch/launchers.h"
#include "core/launch/meeting_point.h"
#include "core/settings/processes.h"

namespace scalemark::launching {
namespace {

// Nodes that start their own ranks are described by typed options, Kubernetes' PET_* variables and
// settings.

std::string origin_of(const Request& request, const std::string& option) {
  return value_at(request.origins, option, "default");
}

// "4", or an elastic range whose ends are equal.
std::optional<int> fixed_nnodes(const std::string& text) {
  const auto colon = text.find(':');
  const auto least = parse_whole(std::string_view(text).substr(0, colon));
  if (colon == std::string::npos) return least;
  const auto most = parse_whole(std::string_view(text).substr(colon + 1));
  return least == most ? least : std::nullopt;
}

int nproc_from_pet(FieldReader& reader, const Request& request, const std::string& text) {
  if (text == "auto" || text == "gpu") return request.auto_nproc_per_node;
  if (const auto number = parse_whole(text)) return *number;
  reader.refuse("PET_NPROC_PER_NODE=" + text, "a number, auto or gpu");
  return 1;
}

int nnodes_from_pet(FieldReader& reader, const std::string& text) {
  if (const auto number = fixed_nnodes(text)) return *number;
  if (!reader.has("PET_NNODES")) {
    reader.refuse("LWS_GROUP_SIZE=" + text, "a number");
  } else if (text.find(':') == text.npos) {
    reader.refuse("PET_NNODES=" + text, "a number");
  } else {
    reader.refuse("PET_NNODES=" + text,
                  "one number, since nothing tells this pod how many of them there are now",
                  "let torchrun count them, as the pod's command: `torchrun --no-python scalemark "
                  "train ...`, with --epochs, --checkpoint-every and --resume");
  }
  return 1;
}

Hints pod_hints(const FieldReader& reader) {
  Hints hints;
  // LeaderWorkerSet names no port; the address is this group's alone, so that one follows from it.
  if (const auto leader = reader.text("LWS_LEADER_ADDRESS")) {
    hints.host = *leader;
    hints.run_id = leader;
    hints.host_from = hints.run_id_from = "LWS_LEADER_ADDRESS";
  }
  if (const auto host = reader.text("PET_MASTER_ADDR")) {
    hints.host = *host;
    hints.host_from = "PET_MASTER_ADDR";
    hints.port = reader.text("PET_MASTER_PORT");
    hints.port_from = "PET_MASTER_PORT";
  } else if (const auto endpoint = reader.text("PET_RDZV_ENDPOINT")) {
    const auto colon = endpoint->rfind(':');
    hints.host = endpoint->substr(0, colon);
    if (colon != std::string::npos) hints.port = endpoint->substr(colon + 1);
    hints.host_from = hints.port_from = "PET_RDZV_ENDPOINT";
  }
  const auto id = reader.text("PET_RDZV_ID");
  if (id && *id != "none") {
    hints.run_id = id;
    hints.run_id_from = "PET_RDZV_ID";
  }
  return hints;
}

void check_plan(FieldReader& reader, const Request& request, bool use_pod, const NodePlan& plan) {
  const auto nnodes = reader.named("nnodes", plan.nnodes);
  if (plan.nproc_per_node < 1) {
    reader.refuse(reader.named("nproc_per_node", plan.nproc_per_node), "at least 1");
  }
  if (plan.nproc_per_node > settings::kMostRanksOfNode) {
    reader.refuse(reader.named("nproc_per_node", plan.nproc_per_node),
                  "at most " + std::to_string(settings::kMostRanksOfNode));
  }
  if (plan.nnodes < 1) return reader.refuse(nnodes, "at least 1");
  if (plan.nnodes > settings::kMostNodes) {
    return reader.refuse(nnodes, "at most " + std::to_string(settings::kMostNodes));
  }
  if (plan.node_rank < 0 || plan.node_rank >= plan.nnodes) {
    reader.refuse(reader.named("node_rank", plan.node_rank) + " with " + nnodes,
                  "a node rank below the number of nodes");
  }
  const bool told = given(request, "node_rank") ||
                    (use_pod && (reader.has("PET_NODE_RANK") || reader.has("LWS_WORKER_INDEX")));
  if (plan.nnodes > 1 && !told) {
    reader.refuse_usage("--node-rank is missing", nnodes + " needs it",
                        "number the nodes from 0: --node-rank 0, --node-rank 1, ...");
  }
}

}  // namespace

bool typed(const Request& request, const std::string& option) {
  const auto origin = origin_of(request, option);
  return origin == "option" || origin == "set";
}

bool given(const Request& request, const std::string& option) {
  return origin_of(request, option) != "default";
}

Hints read_node_plan(FieldReader& reader, const Request& request, bool use_pod, NodePlan& plan) {
  const auto pod = [&](const char* field, const char* option, const char* variable,
                       const char* of_lws) -> std::optional<std::string> {
    if (use_pod && !typed(request, field)) {
      if (auto text = reader.string(field, {variable, of_lws})) return text;
    }
    if (given(request, field)) reader.derived(field, option);
    return {};
  };
  const auto nproc = pod("nproc_per_node", "--nproc-per-node", "PET_NPROC_PER_NODE", "");
  const auto nnodes = pod("nnodes", "--nnodes", "PET_NNODES", "LWS_GROUP_SIZE");
  const auto node_rank = pod("node_rank", "--node-rank", "PET_NODE_RANK", "LWS_WORKER_INDEX");
  const auto& launch = request.launch;
  plan.launcher = use_pod ? "kubernetes" : "local";
  plan.nproc_per_node = nproc ? nproc_from_pet(reader, request, *nproc) : launch.nproc_per_node;
  plan.nnodes = nnodes ? nnodes_from_pet(reader, *nnodes) : launch.nnodes;
  plan.node_rank =
      node_rank ? reader.number("node_rank", {"PET_NODE_RANK", "LWS_WORKER_INDEX"}).value_or(0)
                : launch.node_rank;
  check_plan(reader, request, use_pod, plan);
  return use_pod ? pod_hints(reader) : Hints{};
}

namespace {

struct HostSlots {
  std::string name;  // empty: a line without a host
  int slots = 1;
  bool is_counted = false;  // its line says how many ranks it has
  int line = 0;             // it is named first in this line
};

// The name becomes a word of mpirun's command line.
bool is_host(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !name.empty() && name.size() < 256 && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == name.npos;
}

constexpr const char* kHostLines = "lines such as `n1 slots=8`, `n1:8` or `n1`";

std::string in_quotes(std::string_view text) { return "'" + clipped(as_utf8(text), 40) + "'"; }

int slots_in(const std::string& count, const std::string& of) {
  const auto slots = parse_whole(count);
  if (slots && *slots >= 1 && *slots <= settings::kMostRanksOfNode) return *slots;
  throw bad_data(of + in_quotes(count) + " ranks",
                 "a whole number from 1 to " + std::to_string(settings::kMostRanksOfNode));
}

// "n1 slots=8", "n1:8" or "n1", which has one; # begins a comment. `where` is the file and the
// line, with which a refusal begins.
HostSlots host_in(std::string_view line, const std::string& where) {
  std::istringstream words(std::string(line.substr(0, line.find('#'))));
  HostSlots host;
  std::string word;
  if (!(words >> host.name)) return {};
  std::optional<std::string> count;
  if (const auto colon = host.name.find(':'); colon != host.name.npos) {
    count = host.name.substr(colon + 1);
    host.name.resize(colon);
  }
  if (!is_host(host.name)) {
    throw bad_data(where + in_quotes(host.name) + " is no name of a host",
                   "letters, digits, points, - and _",
                   host.name.find('@') == host.name.npos
                       ? ""
                       : "ssh's configuration says as which user it logs in (User)");
  }
  while (words >> word) {
    if (!word.starts_with("slots=") || count) {
      throw bad_data(
          where + in_quotes(word) +
              (count ? " stands behind the number of ranks of " : " stands behind the host ") +
              host.name,
          kHostLines);
    }
    count = word.substr(word.find('=') + 1);
  }
  if (count) host.slots = slots_in(*count, where + host.name + " has ");
  host.is_counted = count.has_value();
  return host;
}

// A host that comes again without a number, as in PBS's list, has a rank for each of its lines.
void add_line(HostSlots& host, const HostSlots& again, const std::string& where) {
  if (again.is_counted || host.is_counted) {
    throw bad_data(where + host.name + " is named again, after line " + std::to_string(host.line),
                   "each host once, or a line without a number for each of its ranks");
  }
  host.slots = slots_in(std::to_string(host.slots + 1), where + host.name + " has ");
}

std::vector<HostSlots> hosts_in(const std::string& path, std::string_view text) {
  refuse_wide_text(text, "--hostfile " + path);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // editors of Windows write it
  std::vector<HostSlots> hosts;
  std::map<std::string, std::size_t> place;
  int number = 0;
  for (const std::string_view line : split(text, "\n")) {
    const std::string where = "--hostfile " + path + ", line " + std::to_string(++number) + ": ";
    HostSlots host = host_in(line, where);
    if (host.name.empty()) continue;
    const auto [found, is_new] = place.emplace(host.name, hosts.size());
    if (!is_new) {
      add_line(hosts[found->second], host, where);
      continue;
    }
    host.line = number;
    hosts.push_back(host);
    if (std::ssize(hosts) > settings::kMostNodes)
      throw bad_data(where + host.name + " is one host too many",
                     "at most " + std::to_string(settings::kMostNodes) + " hosts");
  }
  if (!hosts.empty()) return hosts;
  throw bad_data("--hostfile " + path + " names no host", kHostLines);
}

}  // namespace

Hints read_hosts(FieldReader& reader, const Request& request, NodePlan& plan) {
  const std::string& path = request.launch.hostfile;
  for (const auto& [field, flag] :
       {std::pair{"nproc_per_node", "--nproc-per-node"}, std::pair{"nnodes", "--nnodes"}}) {
    if (!typed(request, field)) continue;
    reader.refuse_usage("--hostfile and " + std::string(flag),
                        "the file says how many ranks each host has", "leave one of them out");
  }
  if (!request.hostfile) {
    throw no_input("--hostfile: " + request.why_no_hostfile,
                   "a file with " + std::string(kHostLines));
  }
  const auto hosts = hosts_in(path, *request.hostfile);
  std::string list;  // mpirun of both libraries takes it so
  for (const HostSlots& host : hosts) {
    plan.ranks_of_nodes.push_back(host.slots);
    list += (list.empty() ? "" : ",") + host.name + ":" + std::to_string(host.slots);
  }
  plan.nnodes = static_cast<int>(hosts.size());
  for (const char* field : {"nproc_per_node", "nnodes"}) reader.derived(field, "--hostfile");
  if (hosts.size() > 1 && is_loopback(hosts.front().name)) {
    reader.refuse("--hostfile " + path + " begins with " + hosts.front().name,
                  "a name under which the other hosts reach the first one");
  }
  if (!given(request, "node_rank")) {
    plan.launcher = "mpirun";
    plan.hosts = list;
  } else if (request.launch.node_rank >= plan.nnodes) {
    reader.refuse("--node-rank " + std::to_string(request.launch.node_rank) + " with " +
                      std::to_string(plan.nnodes) + " hosts in " + path,
                  "a node rank below the number of hosts");
  } else {
    plan.node_rank = request.launch.node_rank;
    reader.derived("node_rank", "--node-rank");
  }
  plan.nproc_per_node = plan.ranks_of_nodes[static_cast<std::size_t>(plan.node_rank)];
  Hints hints;
  hints.host = hosts.front().name;
  hints.port = std::to_string(derived_port("hostfile " + list));
  hints.host_from = hints.port_from = "--hostfile";
  return hints;
}

}  // namespace scalemark::launching
