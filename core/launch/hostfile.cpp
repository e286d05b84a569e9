// --hostfile: hosts with the number of ranks of each, as mpirun and DeepSpeed read them.
#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/launch/launchers.h"
#include "core/launch/meeting_point.h"

namespace scalemark::launching {
namespace {

struct HostSlots {
  std::string name;
  int slots = 0;  // 0: a line without a host
};

// The name becomes a word of mpirun's command line.
bool is_host(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !name.empty() && name.size() < 256 && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == name.npos;
}

// "n1 slots=8", "n1:8" or "n1", which has one; # begins a comment. Absent for another text.
std::optional<HostSlots> host_in(std::string_view line) {
  std::istringstream words(std::string(line.substr(0, line.find('#'))));
  std::string name, word, count = "1";
  if (!(words >> name)) return HostSlots{};
  if (const auto colon = name.find(':'); colon != name.npos) {
    count = name.substr(colon + 1);
    name.resize(colon);
  }
  while (words >> word) {
    if (!word.starts_with("slots=")) return {};
    count = word.substr(6);
  }
  const auto slots = parse_whole(count);
  if (!is_host(name) || !slots || *slots < 1) return {};
  return HostSlots{name, *slots};
}

// A host that comes again, as in PBS's list, has the ranks of all its lines.
std::vector<HostSlots> hosts_in(const std::string& path, std::string_view text) {
  constexpr std::size_t kMostFileHosts = 65536;
  constexpr int kMostSlots = 4096;
  std::vector<HostSlots> hosts;
  std::map<std::string, std::size_t> place;
  int number = 0;
  for (const std::string_view line : split(text, "\n")) {
    ++number;
    const auto host = host_in(line);
    if (host && host->slots == 0) continue;
    const auto at = host ? place.emplace(host->name, hosts.size()).first->second : 0;
    if (host && at == hosts.size()) hosts.push_back({host->name});
    if (!host || hosts.size() > kMostFileHosts || host->slots > kMostSlots - hosts[at].slots) {
      throw bad_data(
          "--hostfile " + path + ", line " + std::to_string(number) + " is no host with its ranks",
          "lines such as `n1 slots=8`, with at most 4,096 ranks a host");
    }
    hosts[at].slots += host->slots;
  }
  if (!hosts.empty()) return hosts;
  throw bad_data("--hostfile " + path + " names no host", "lines such as `n1 slots=8`");
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
    throw no_input("--hostfile " + path + " cannot be read",
                   "a file of lines such as `n1 slots=8`");
  }
  const auto hosts = hosts_in(path, *request.hostfile);
  std::string list;  // as both libraries' mpirun takes it
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
