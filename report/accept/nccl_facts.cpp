// Reads what NCCL chose on each node: facts that must be alike.
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/machine/network_ports.h"
#include "report/accept/inventory.h"

namespace scalemark::acceptance {
namespace {

using monitoring::NcclChoice;

// Leaves out the interfaces that containers make, whose names are random.
std::string adapters_text(const std::vector<std::string>& adapters) {
  std::vector<std::string> names = adapters;
  std::erase_if(names, [](const auto& name) { return monitoring::is_virtual_interface(name); });
  return joined(names, ", ");
}

// Partners are drawn: of nodes on one NVLink some met their own kind and others did not, so only
// the network is compared where a node used one.
std::string between_text(const std::vector<std::string>& transports) {
  std::vector<std::string> names = transports;
  if (names.size() > 1) std::erase(names, monitoring::kNvlink);
  return joined(names, " and ");
}

// Holds the choices of one node, and how many nodes the reports have that told it.
struct KnownChoice {
  NcclChoice choice;
  std::size_t nodes_within = 0, nodes_between = 0;
};

// A node's own report knows what NCCL does within it, that of links between nodes, and each uses
// what its nodes and partners need. So the smallest report tells the first and the largest one the
// second, that nodes are told alike when few are measured again; of equal ones the last counts.
std::map<std::string, KnownChoice> known_of_hosts(std::span<const NamedReport> reports) {
  std::map<std::string, KnownChoice> all;
  for (const NamedReport& one : reports) {
    const std::size_t nodes = one.report.environment.hosts.size();
    for (const NcclChoice& choice : one.report.nccl) {
      KnownChoice& known = all[choice.host];
      if (!choice.within.empty() && (known.choice.within.empty() || nodes <= known.nodes_within)) {
        known.choice.within = choice.within;
        known.nodes_within = nodes;
      }
      if (!choice.between.empty() && nodes >= known.nodes_between) {
        known.choice.between = choice.between;
        known.nodes_between = nodes;
      }
      if (!choice.adapters.empty()) known.choice.adapters = choice.adapters;
      if (!choice.unknown.empty()) known.choice.unknown = choice.unknown;
    }
  }
  return all;
}

}  // namespace

std::vector<Series> read_nccl(Metric metric, std::span<const NamedReport> reports) {
  std::map<std::string, KnownChoice> known = known_of_hosts(reports);
  std::vector<Series> all;
  for (const Series& gpus : read_facts(Metric::kGpus, reports)) {
    const NcclChoice& choice = known[gpus.part.host].choice;
    const auto add = [&](const std::string& what, std::string text) {
      Series& series = all.emplace_back(gpus);
      series.of_class += what;
      series.starts.back().fact = std::move(text);
      series.starts.back().why = choice.unknown;
    };
    if (metric == Metric::kNcclAdapters) {
      add("", adapters_text(choice.adapters));
      continue;
    }
    add(", within the node", joined(choice.within, " and "));
    add(", between nodes", between_text(choice.between));
  }
  const auto is_known = [](const Series& one) { return !one.starts.back().fact.empty(); };
  if (std::ranges::none_of(all, is_known)) all.clear();
  return all;
}

}  // namespace scalemark::acceptance
