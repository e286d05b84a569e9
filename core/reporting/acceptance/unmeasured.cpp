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
  result.outcome = Outcome::kMissing;
  result.why = why;
  return result;
}

std::set<std::string> without_report(const std::vector<CheckResult>& results) {
  std::set<std::string> hosts;
  for (const CheckResult& result : results) {
    if (result.why == kNoReport) hosts.insert(result.part.host);
  }
  return hosts;
}

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
void add_unmeasured_by_rule(const Rules& rules, std::vector<CheckResult>& results) {
  std::map<std::string, Part> devices;
  std::map<std::string, std::set<std::string>> by_check;
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kDevice) continue;
    by_check[result.check].insert(result.part.key());
    // "cpu" alone is a machine's measurement and no rank's.
    if (is_rate(result) && result.part.device != "cpu") devices[result.part.key()] = result.part;
  }
  for (const Rule& rule : rules.checks) {
    const auto measured = by_check.find(rule.name);
    if (!is_of_every_device(rule) || measured == by_check.end()) continue;
    const bool of_gpus = row_of(rule.metric).applies == Applies::kWithGpus;
    for (const auto& [key, part] : devices) {
      if (measured->second.contains(key)) continue;
      if (of_gpus && part.device.starts_with("cpu")) continue;
      results.push_back(missing(rule.name, part, "this device was not measured"));
    }
  }
}

// A device that trained, beside others of its host whose counters were read.
void add_unwatched_devices(const Rules& rules, std::vector<CheckResult>& results) {
  std::set<std::string> checks;
  for (const Rule& rule : rules.checks) {
    if (is_of_health(rule) && row_of(rule.metric).of == PartKind::kDevice) checks.insert(rule.name);
  }
  std::map<std::string, std::set<std::string>> watched;  // devices of a host
  std::map<std::string, Part> devices;
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kDevice) continue;
    if (checks.contains(result.check)) watched[result.part.host].insert(result.part.key());
    if (is_rate(result)) devices[result.part.key()] = result.part;
  }
  for (const auto& [key, part] : devices) {
    const auto known = watched.find(part.host);
    if (known == watched.end() || known->second.contains(key)) continue;
    for (const std::string& check : checks) results.push_back(missing(check, part, kNotRead));
  }
}

// A check that some parts of a kind were measured by and others not.
void add_unmeasured_values(const Rule& rule, const std::vector<Part>& nodes,
                           std::vector<CheckResult>& results) {
  const MetricRow& row = row_of(rule.metric);
  const std::set<std::string> without = without_report(results);
  std::set<std::string> measured;
  for (const CheckResult& result : results) {
    if (result.check == rule.name) measured.insert(result.part.host);
  }
  if (measured.empty() && row.kind != ValueKind::kFact) {
    results.push_back(of_fleet(rule.name, Outcome::kUnsure,
                               "not measured: no report holds " + std::string(row.name)));
    return;
  }
  if (row.of == PartKind::kLink || row.kind == ValueKind::kFact) return;
  for (const Part& node : nodes) {
    if (measured.contains(node.host) || without.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, "no report of it has these"));
  }
}

// Counters are read where --checks asks for it. What one part does not have (NVLinks) is no gap,
// but a part of which nothing was read is, where others were.
void add_unwatched(const Rule& rule, const std::vector<Part>& nodes,
                   std::span<const NamedReport> reports, std::vector<CheckResult>& results) {
  const std::set<std::string> unwatched = unwatched_hosts(row_of(rule.metric).of, reports);
  const std::set<std::string> without = without_report(results);
  for (const Part& node : nodes) {
    if (!unwatched.contains(node.host) || without.contains(node.host)) continue;
    results.push_back(missing(rule.name, node, kNotRead));
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

void add_unmeasured(const Rule& rule, const std::vector<Part>& nodes,
                    std::span<const NamedReport> reports, std::vector<CheckResult>& results) {
  if (is_of_health(rule)) {
    add_unwatched(rule, nodes, reports, results);
  } else if (rule.of != LimitOf::kDatasheet) {
    add_unmeasured_values(rule, nodes, results);
  }
}

void add_unmeasured_devices(const Rules& rules, std::vector<CheckResult>& results) {
  add_unmeasured_by_rule(rules, results);
  add_unwatched_devices(rules, results);
}

}  // namespace scalemark::acceptance
