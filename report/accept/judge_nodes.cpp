// Judges nodes as a whole: each is as bad as its worst check, some lack a report that is expected,
// and failed ones may stand behind one switch.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/statistics/acceptance.h"
#include "core/statistics/shared_group.h"
#include "core/statistics/slow_links.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
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

namespace {

// A node is as bad as its worst check, and may be to blame rather than its devices.
class NodeJudge {
 public:
  NodeJudge(const std::vector<CheckResult>& results, const Expected& expected)
      : results_(results), expected_(expected) {}

  NodeResult judge(const Part& node) const {
    NodeResult judged{.node = node};
    std::set<std::string> devices;
    std::map<std::string, std::vector<statistics::AcceptanceOutcome>> by_check;
    for (const CheckResult& result : results_) {
      if (result.part.kind == PartKind::kLink || result.part.host != node.host) continue;
      judged.outcome = std::max(judged.outcome, result.outcome);
      if (result.part.kind != PartKind::kDevice) continue;
      if (is_rate(result)) devices.insert(result.part.key());
      by_check[result.check].push_back(result.outcome == Outcome::kFailed
                                           ? statistics::AcceptanceOutcome::kFail
                                           : statistics::AcceptanceOutcome::kPass);
    }
    judged.devices = static_cast<int>(devices.size());
    for (const auto& [check, outcomes] : by_check) {
      if (statistics::is_node_at_fault(outcomes)) judged.at_fault.push_back(check);
    }
    return judged;
  }

  // Returns a result where fewer devices were measured than there have to be.
  std::optional<CheckResult> lacks_devices(const NodeResult& node) const {
    const int wanted = expected_.devices_per_node.value_or(0);
    if (node.devices >= wanted || node.outcome == Outcome::kMissing) return std::nullopt;
    CheckResult result;
    result.check = "devices";
    result.part = node.node;
    result.outcome = Outcome::kMissing;
    result.value = node.devices;
    result.limit = wanted;
    result.limit_from = "--devices-per-node";
    result.why =
        std::to_string(node.devices) + " of " + counted(wanted, "device") + " were measured";
    return result;
  }

 private:
  const std::vector<CheckResult>& results_;
  const Expected& expected_;
};

}  // namespace

bool is_rate(const CheckResult& result) { return result.value && !result.unit.empty(); }

void judge_nodes(Acceptance& acceptance, const std::vector<Part>& nodes, const Expected& expected) {
  std::vector<CheckResult> lacking;
  const NodeJudge judge(acceptance.results, expected);
  for (const Part& node : nodes) {
    NodeResult judged = judge.judge(node);
    if (auto lack = judge.lacks_devices(judged)) {
      judged.outcome = std::max(judged.outcome, lack->outcome);
      lacking.push_back(std::move(*lack));
    }
    acceptance.nodes.push_back(std::move(judged));
  }
  std::ranges::move(lacking, std::back_inserter(acceptance.results));
}

namespace {

// Links that comm measured between all pairs of nodes show which nodes are near each other.

constexpr double kByChance = 0.05;  // over all link groups that are compared

using statistics::LinkLevel;
using HostPair = std::pair<std::string, std::string>;

HostPair pair_of(const std::string& a, const std::string& b) { return std::minmax(a, b); }

// A node belongs to one link group, and a link that connects two of them to both.
struct Member {
  std::vector<std::size_t> within;
  bool failed = false;
};

// The links of one report, and the link groups that they make of its nodes.
struct Grouping {
  std::vector<std::string> hosts;  // in the order of their numbers
  std::vector<std::pair<std::size_t, std::size_t>> links;
  statistics::LinkGroups link_groups;
};

// Between two hosts the quickest of their links counts: of several cards one may be bad.
std::map<HostPair, std::array<double, 2>> levels_of(const reporting::Report& report) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::map<HostPair, std::array<double, 2>> levels;
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->latency_s) || !is_measured(link->bandwidth_GBps)) continue;
    const auto [found, is_new] =
        levels.try_emplace(pair_of(link->a, link->b), std::array{kNone, kNone});
    found->second[0] = std::min(found->second[0], std::log(link->latency_s));
    found->second[1] = std::min(found->second[1], -std::log(link->bandwidth_GBps));
  }
  return levels;
}

// Groups nodes by small messages, and again by large ones. The last report of links counts.
std::vector<Grouping> groupings_of(std::span<const NamedReport> reports) {
  std::map<HostPair, std::array<double, 2>> levels;
  for (const NamedReport& one : reports) {
    if (!reporting::measures_collectives(one.report)) continue;
    auto more = levels_of(one.report);
    if (!more.empty()) levels = std::move(more);
  }
  std::map<std::string, std::size_t> numbers;
  Grouping grouping;
  for (const auto& [pair, level] : levels) {
    for (const std::string& host : {pair.first, pair.second}) {
      if (numbers.try_emplace(host, numbers.size()).second) grouping.hosts.push_back(host);
    }
    grouping.links.emplace_back(numbers[pair.first], numbers[pair.second]);
  }
  std::vector<Grouping> all;
  for (const std::size_t which : {0U, 1U}) {
    std::vector<LinkLevel> links;
    for (const auto& [pair, level] : levels) {
      links.push_back({static_cast<int>(numbers[pair.first]),
                       static_cast<int>(numbers[pair.second]), level[which]});
    }
    if (auto link_groups = statistics::groups_of_links(links, numbers.size())) {
      grouping.link_groups = std::move(*link_groups);
      all.push_back(grouping);
    }
  }
  return all;
}

// A link group that failed nodes, or failed links, have in common.
struct Shared {
  double chance = 1;                        // the probability that so many are in it by chance
  std::size_t failed_here = 0, failed = 0;  // failed members in the link group, and in all
  const Grouping* grouping = nullptr;       // null: none is found
  std::size_t link_group = 0;

  // The least chance is first; of equal ones the farthest from the others, then the smallest.
  auto order() const {
    if (grouping == nullptr) return std::tuple(chance, 0.0, std::size_t{0});
    const auto& link_groups = grouping->link_groups;
    return std::tuple(chance, -link_groups.times_as_long, link_groups.sizes[link_group]);
  }
};

// Puts into `best` the link group that so many failed members would share with the least chance.
void find_least_chance(const Grouping& grouping, const std::vector<Member>& members, Shared& best) {
  const auto failed = static_cast<std::size_t>(std::ranges::count_if(members, &Member::failed));
  for (std::size_t link_group = 0; link_group < grouping.link_groups.sizes.size(); ++link_group) {
    if (grouping.link_groups.sizes[link_group] < 2) continue;
    std::size_t here = 0, failed_here = 0;
    for (const Member& member : members) {
      const bool is_in = std::ranges::find(member.within, link_group) != member.within.end();
      here += is_in;
      failed_here += is_in && member.failed;
    }
    const double chance = statistics::chance_of_sharing(failed_here, failed, here, members.size());
    const Shared one{chance, failed_here, failed, &grouping, link_group};
    if (one.order() < best.order()) best = one;
  }
}

std::string text_of(const Shared& shared, const std::string& members, const std::string& verb,
                    const std::vector<NodeResult>& nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shared.grouping->hosts.size(); ++i) {
    if (shared.grouping->link_groups.of_node[i] != shared.link_group) continue;
    const std::string& host = shared.grouping->hosts[i];
    const auto node = std::ranges::find(
        nodes, host, [](const NodeResult& one) -> const std::string& { return one.node.host; });
    names.push_back(node == nodes.end() ? host : scheduler_name(node->node));
  }
  return std::to_string(shared.failed_here) + " of " + std::to_string(shared.failed) + " failed " +
         members + " " + verb + " one group of links (" + launching::compressed_nodelist(names) +
         "; messages that leave it take " +
         significant(shared.grouping->link_groups.times_as_long, 2) +
         " times as long): look at the switch that its nodes share";
}

}  // namespace

std::vector<std::string> shared_switches(const std::vector<CheckResult>& results,
                                         const std::vector<NodeResult>& nodes,
                                         std::span<const NamedReport> reports) {
  std::set<std::string> failed_nodes;
  std::set<HostPair> failed_links;
  for (const CheckResult& result : results) {
    if (result.outcome != Outcome::kFailed || !is_rate(result)) continue;
    if (result.part.kind == PartKind::kLink) {
      failed_links.insert(pair_of(result.part.host, result.part.other));
    } else {
      failed_nodes.insert(result.part.host);
    }
  }
  if (failed_nodes.empty() && failed_links.empty()) return {};
  const std::vector<Grouping> all = groupings_of(reports);
  Shared by_nodes, by_links;
  double compared = 0;
  for (const Grouping& one : all) {
    std::vector<Member> of_nodes, of_links;
    for (std::size_t i = 0; i < one.hosts.size(); ++i) {
      of_nodes.push_back({{one.link_groups.of_node[i]}, failed_nodes.contains(one.hosts[i])});
    }
    for (const auto& [a, b] : one.links) {
      Member& link = of_links.emplace_back();
      link.failed = failed_links.contains(pair_of(one.hosts[a], one.hosts[b]));
      const std::size_t first = one.link_groups.of_node[a], second = one.link_groups.of_node[b];
      if (first != second) link.within = {first, second};
    }
    find_least_chance(one, of_nodes, by_nodes);
    find_least_chance(one, of_links, by_links);
    compared += static_cast<double>(
        std::ranges::count_if(one.link_groups.sizes, [](std::size_t size) { return size > 1; }));
  }
  const auto is_no_chance = [&](const Shared& shared) {
    return shared.grouping != nullptr && shared.chance * compared < kByChance;
  };
  std::vector<std::string> texts;
  if (is_no_chance(by_nodes)) texts.push_back(text_of(by_nodes, "nodes", "are in", nodes));
  if (is_no_chance(by_links)) texts.push_back(text_of(by_links, "links", "leave", nodes));
  return texts;
}

}  // namespace scalemark::acceptance
