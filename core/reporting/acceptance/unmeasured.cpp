// A fleet should have this and no report shows it: nodes without a report, parts that a check left
// out.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/reporting/acceptance/acceptance.h"
#include "core/reporting/acceptance/counters.h"

namespace scalemark::acceptance {
namespace {

constexpr const char* kNoReport = "no report";
constexpr const char* kNotRead = "its counters were not read (--checks health)";

CheckResult missing(const std::string& check, const Part& part, const std::string& why) {
  CheckResult result;
  result.check = check;
  result.part = part;
  result.conclude(Outcome::kMissing, why);
  return result;
}

bool is_of_counted_device(const Rule& rule) {
  return is_of_health(rule) && row_of(rule.metric).of == PartKind::kDevice;
}

// The results show this of the fleet.
struct Shown {
  std::map<std::string, std::set<std::string>> hosts, devices;  // of each check; devices by key
  std::map<std::string, std::set<std::string>> counted;  // devices of each host with counters
  std::map<std::string, Part> at_work;                   // by key
  std::set<std::string> without_report;                  // hosts

  Shown(const std::vector<Rule>& rules, const std::vector<CheckResult>& results) {
    std::set<std::string> of_counters;
    for (const Rule& rule : rules) {
      if (is_of_counted_device(rule)) of_counters.insert(rule.name);
    }
    for (const CheckResult& result : results) {
      const Part& part = result.part;
      hosts[result.check].insert(part.host);
      if (result.why == kNoReport) without_report.insert(part.host);
      if (part.kind != PartKind::kDevice) continue;
      devices[result.check].insert(part.key());
      if (of_counters.contains(result.check)) counted[part.host].insert(part.key());
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

// Every device has what it checks, or none of its kind: rates, and the bits behind them.
bool is_of_every_device(const Rule& rule) {
  if (rule.metric == Metric::kWrongBits || rule.metric == Metric::kSustainedProduct) return true;
  return row_of(rule.metric).kind == ValueKind::kRate && rule.of != LimitOf::kDatasheet;
}

// A device that other checks measured and this one did not would otherwise pass unseen.
void add_devices(const Rule& rule, const Shown& shown, std::vector<CheckResult>& results) {
  const auto measured = shown.devices.find(rule.name);
  if (!is_of_every_device(rule) || measured == shown.devices.end()) return;
  const bool of_gpus = row_of(rule.metric).applies == Applies::kWithGpus;
  for (const auto& [key, part] : shown.at_work) {
    if (measured->second.contains(key)) continue;
    if (of_gpus && part.device.starts_with("cpu")) continue;
    if (part.device == "cpu") continue;  // a machine's measurement and no rank's
    results.push_back(missing(rule.name, part, "this device was not measured"));
  }
}

// A check that some parts of a kind were measured by and others not.
void add_nodes(const Rule& rule, const std::vector<Part>& nodes, const Shown& shown,
               std::vector<CheckResult>& results) {
  const MetricRow& row = row_of(rule.metric);
  const auto measured = shown.hosts.find(rule.name);
  if (measured == shown.hosts.end()) {
    if (row.kind == ValueKind::kFact) return;
    results.push_back(of_fleet(rule.name, Outcome::kUnsure,
                               "not measured: no report holds " + std::string(row.name)));
    return;
  }
  if (row.of == PartKind::kLink || row.kind == ValueKind::kFact) return;
  for (const Part& node : nodes) {
    if (measured->second.contains(node.host) || shown.without_report.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, "no report of it has these"));
  }
}

// Counters are read where --checks asks for it. What one part does not have (NVLinks) is no gap,
// but a part of which nothing was read is, where others were.
void add_unwatched(const Rule& rule, const std::vector<Part>& nodes,
                   std::span<const NamedReport> reports, const Shown& shown,
                   std::vector<CheckResult>& results) {
  const std::set<std::string> unwatched = unwatched_hosts(row_of(rule.metric).of, reports);
  for (const Part& node : nodes) {
    if (!unwatched.contains(node.host) || shown.without_report.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, kNotRead));
  }
  if (!is_of_counted_device(rule)) return;
  for (const auto& [key, part] : shown.at_work) {
    const auto known = shown.counted.find(part.host);
    if (known == shown.counted.end() || known->second.contains(key)) continue;
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
  const Shown shown(rules, results);
  for (const Rule& rule : rules) {
    if (is_of_health(rule)) {
      add_unwatched(rule, nodes, reports, shown, results);
    } else if (rule.of != LimitOf::kDatasheet) {
      add_nodes(rule, nodes, shown, results);
      add_devices(rule, shown, results);
    }
  }
}

}  // namespace scalemark::acceptance
