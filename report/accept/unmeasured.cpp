// Finds what reports leave out: expected nodes without a report, and nodes and devices that some
// checks measured and others did not.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "report/accept/acceptance.h"
#include "report/accept/inventory.h"
#include "report/accept/single_values.h"

namespace scalemark::acceptance {
namespace {

constexpr const char* kNotRead = "its counters were not read (--checks health)";

CheckResult missing(const std::string& check, const Part& part, const std::string& why) {
  CheckResult result = of_fleet(check, Outcome::kMissing, why);
  result.part = part;
  return result;
}

bool is_of_counted_device(const Rule& rule) {
  return is_of_health(rule) && definition_of(rule.metric).of == PartKind::kDevice;
}

// The results cover these hosts, and these devices by their keys.
struct Coverage {
  std::map<std::string, std::set<std::string>> hosts, devices;  // by check
  std::map<std::string, std::set<std::string>> with_counters;   // devices, by host
  std::map<std::string, Part> at_work;                          // devices with a rate, by key
  std::set<std::string> unreported;                             // hosts

  Coverage(const std::vector<Rule>& rules, const std::vector<CheckResult>& results) {
    std::set<std::string> of_counters;
    for (const Rule& rule : rules) {
      if (is_of_counted_device(rule)) of_counters.insert(rule.name);
    }
    for (const CheckResult& result : results) {
      const Part& part = result.part;
      hosts[result.check].insert(part.host);
      if (result.why == kNoReport) unreported.insert(part.host);
      if (part.kind != PartKind::kDevice) continue;
      devices[result.check].insert(part.key());
      if (of_counters.contains(result.check)) with_counters[part.host].insert(part.key());
      if (is_rate(result)) at_work[part.key()] = part;
    }
  }
};

// Links alone do not show a node: it has to be in a report of training.
std::vector<Part> nodes_that_trained(std::span<const NamedReport> reports) {
  std::vector<Part> nodes;
  for (const NamedReport& one : reports) {
    if (reporting::measures_collectives(one.report)) continue;
    std::ranges::move(nodes_of(std::span(&one, 1)), std::back_inserter(nodes));
  }
  return nodes.empty() ? nodes_of(reports) : nodes;
}

// Whether all devices of a kind have what the rule checks, or none: rates, and their bits.
bool is_of_every_device(const Rule& rule) {
  if (rule.metric == Metric::kWrongBits || rule.metric == Metric::kSustainedProduct) return true;
  return definition_of(rule.metric).kind == ValueKind::kRate && !is_of_physics(rule.of);
}

// A device that other checks measured and this one did not would otherwise pass unseen.
void add_devices(const Rule& rule, const Coverage& coverage, std::vector<CheckResult>& results) {
  const auto measured = coverage.devices.find(rule.name);
  if (!is_of_every_device(rule) || measured == coverage.devices.end()) return;
  const bool of_gpus = definition_of(rule.metric).applies == Applies::kWithGpus ||
                       rule.metric == Metric::kHostToDevice || rule.metric == Metric::kDeviceToHost;
  for (const auto& [key, part] : coverage.at_work) {
    if (measured->second.contains(key)) continue;
    if (of_gpus && part.device.starts_with("cpu")) continue;
    if (part.device == "cpu") continue;  // the machine was measured, and no rank
    results.push_back(missing(rule.name, part, "this device was not measured"));
  }
}

// Adds results for nodes that a check left out although it measured others.
void add_nodes(const Rule& rule, const std::vector<Part>& nodes, const Coverage& coverage,
               std::vector<CheckResult>& results) {
  const MetricDefinition& definition = definition_of(rule.metric);
  const auto measured = coverage.hosts.find(rule.name);
  if (definition.kind == ValueKind::kFact) return;
  if (measured == coverage.hosts.end()) {
    results.push_back(of_fleet(rule.name, Outcome::kUnsure,
                               "not measured: no report holds " + std::string(definition.name)));
    return;
  }
  if (definition.of == PartKind::kLink || definition.of == PartKind::kFleet) return;
  for (const Part& node : nodes) {
    if (measured->second.contains(node.host) || coverage.unreported.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, "no report of it has these"));
  }
}

// Counters are read where --checks asks for it. A counter that a part does not have (NVLinks) is no
// gap; a part of which no counter was read is one, where others' were read.
void add_unwatched(const Rule& rule, const std::vector<Part>& nodes,
                   std::span<const NamedReport> reports, const Coverage& coverage,
                   std::vector<CheckResult>& results) {
  const std::set<std::string> unwatched = unwatched_hosts(definition_of(rule.metric).of, reports);
  for (const Part& node : nodes) {
    if (!unwatched.contains(node.host) || coverage.unreported.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, kNotRead));
  }
  if (!is_of_counted_device(rule)) return;
  for (const auto& [key, part] : coverage.at_work) {
    const auto known = coverage.with_counters.find(part.host);
    if (known == coverage.with_counters.end() || known->second.contains(key)) continue;
    results.push_back(missing(rule.name, part, kNotRead));
  }
}

}  // namespace

bool is_named(const Part& node, const std::string& name) {
  const std::string host = node.host.substr(0, node.host.find('.'));
  return name == node.host || name == host || name == node.scheduler_node;
}

void add_missing_nodes(const Expected& expected, std::span<const NamedReport> reports,
                       std::vector<Part>& nodes, std::vector<CheckResult>& results) {
  for (const auto& [path, why] : expected.unreadable) {
    Part part;
    part.host = path;
    results.push_back(missing(kReportCheck, part, why));
  }
  const std::vector<Part> trained = nodes_that_trained(reports);
  for (const std::string& name : expected.nodes) {
    const auto is_it = [&](const Part& node) { return is_named(node, name); };
    if (std::ranges::any_of(trained, is_it)) continue;
    const auto linked = std::ranges::find_if(nodes, is_it);
    Part part;
    part.host = name;
    if (linked != nodes.end()) part = *linked;
    if (linked == nodes.end()) nodes.push_back(part);
    results.push_back(missing(kReportCheck, part, kNoReport));
  }
}

void add_unmeasured(const std::vector<Rule>& rules, const std::vector<Part>& nodes,
                    std::span<const NamedReport> reports, std::vector<CheckResult>& results) {
  const Coverage coverage(rules, results);
  for (const Rule& rule : rules) {
    if (is_of_health(rule)) {
      add_unwatched(rule, nodes, reports, coverage, results);
    } else if (!is_of_physics(rule.of)) {
      add_nodes(rule, nodes, coverage, results);
      add_devices(rule, coverage, results);
    }
  }
}

}  // namespace scalemark::acceptance
