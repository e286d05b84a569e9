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

void take_known(const std::vector<std::string>& from, std::vector<std::string>& to) {
  if (!from.empty()) to = from;
}

// A node's own report knows what NCCL does within it, that of links between nodes.
std::map<std::string, NcclChoice> last_of_hosts(std::span<const NamedReport> reports) {
  std::map<std::string, NcclChoice> last;
  for (const NamedReport& one : reports) {
    for (const NcclChoice& choice : one.report.nccl) {
      NcclChoice& known = last[choice.host];
      take_known(choice.within, known.within);
      take_known(choice.between, known.between);
      take_known(choice.adapters, known.adapters);
      if (!choice.unknown.empty()) known.unknown = choice.unknown;
    }
  }
  return last;
}

}  // namespace

std::vector<Series> read_nccl(Metric metric, std::span<const NamedReport> reports) {
  std::map<std::string, NcclChoice> last = last_of_hosts(reports);
  std::vector<Series> all;
  for (const Series& gpus : read_facts(Metric::kGpus, reports)) {
    const NcclChoice& choice = last[gpus.part.host];
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
    add(", between nodes", joined(choice.between, " and "));
  }
  const auto is_known = [](const Series& one) { return !one.starts.back().fact.empty(); };
  if (std::ranges::none_of(all, is_known)) all.clear();
  return all;
}

}  // namespace scalemark::acceptance
