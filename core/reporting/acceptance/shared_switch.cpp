// Failed nodes may stand behind one switch: what comm measured between all pairs of nodes shows
// which of them are near each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/launching/slurm_lists.h"
#include "core/reporting/acceptance/acceptance.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/acceptance/inventory.h"
#include "core/statistics/slow_links.h"

namespace scalemark::acceptance {
namespace {

using statistics::LinkGroups;
using statistics::LinkLevel;

constexpr double kByChance = 0.05;  // over all groups that are looked at

using HostPair = std::pair<std::string, std::string>;

HostPair pair_of(const std::string& a, const std::string& b) { return std::minmax(a, b); }

// One thing that failed, or did not, and the groups that it belongs to.
struct Thing {
  std::vector<std::size_t> groups;
  bool failed = false;
};

// The links of one report, and the groups that they make of its nodes.
struct GroupedNodes {
  std::vector<std::string> hosts;  // in the order of their numbers
  std::vector<std::pair<std::size_t, std::size_t>> links;
  LinkGroups groups;
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

// Looks at small messages and at large ones. The last report of links counts.
std::vector<GroupedNodes> grouped_nodes(std::span<const NamedReport> reports) {
  std::map<HostPair, std::array<double, 2>> levels;
  for (const NamedReport& one : reports) {
    if (!reporting::measures_collectives(one.report)) continue;
    auto more = levels_of(one.report);
    if (!more.empty()) levels = std::move(more);
  }
  std::map<std::string, std::size_t> numbers;
  GroupedNodes nodes;
  for (const auto& [pair, level] : levels) {
    for (const std::string& host : {pair.first, pair.second}) {
      if (numbers.try_emplace(host, numbers.size()).second) nodes.hosts.push_back(host);
    }
    nodes.links.emplace_back(numbers[pair.first], numbers[pair.second]);
  }
  std::vector<GroupedNodes> all;
  for (const std::size_t which : {0U, 1U}) {
    std::vector<LinkLevel> links;
    for (const auto& [pair, level] : levels) {
      links.push_back({static_cast<int>(numbers[pair.first]),
                       static_cast<int>(numbers[pair.second]), level[which]});
    }
    if (auto groups = statistics::groups_of_links(links, numbers.size())) {
      nodes.groups = std::move(*groups);
      all.push_back(nodes);
    }
  }
  return all;
}

struct Shared {
  double chance = 1;
  std::size_t failed_with = 0, failed = 0;
  const GroupedNodes* nodes = nullptr;
  std::size_t group = 0;

  // Least by chance; of equal ones the farthest from the others, then the smallest.
  auto order() const {
    if (nodes == nullptr) return std::tuple(chance, 0.0, std::size_t{0});
    return std::tuple(chance, -nodes->groups.times_as_long, nodes->groups.sizes[group]);
  }
};

void look_at(const GroupedNodes& nodes, const std::vector<Thing>& things, Shared& best) {
  const auto failed = static_cast<std::size_t>(std::ranges::count_if(things, &Thing::failed));
  for (std::size_t group = 0; group < nodes.groups.sizes.size(); ++group) {
    if (nodes.groups.sizes[group] < 2) continue;
    std::size_t with = 0, failed_with = 0;
    for (const Thing& thing : things) {
      const bool has_it = std::ranges::find(thing.groups, group) != thing.groups.end();
      with += has_it;
      failed_with += has_it && thing.failed;
    }
    const double chance = statistics::chance_of_sharing(failed_with, failed, with, things.size());
    const Shared one{chance, failed_with, failed, &nodes, group};
    if (one.order() < best.order()) best = one;
  }
}

std::string text_of(const Shared& shared, const std::string& things, const std::string& verb,
                    const std::vector<NodeResult>& nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shared.nodes->hosts.size(); ++i) {
    if (shared.nodes->groups.of_node[i] != shared.group) continue;
    const std::string& host = shared.nodes->hosts[i];
    const auto node = std::ranges::find(
        nodes, host, [](const NodeResult& one) -> const std::string& { return one.node.host; });
    names.push_back(node == nodes.end() ? host : scheduler_name(node->node));
  }
  return std::to_string(shared.failed_with) + " of " + std::to_string(shared.failed) + " failed " +
         things + " " + verb + " one group of links (" + launching::compressed_nodelist(names) +
         "; messages that leave it take " + significant(shared.nodes->groups.times_as_long, 2) +
         " times as long): " + "look at the switch that its nodes share";
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
  const std::vector<GroupedNodes> all = grouped_nodes(reports);
  Shared by_nodes, by_links;
  double looked_at = 0;
  for (const GroupedNodes& one : all) {
    std::vector<Thing> of_nodes, of_links;
    for (std::size_t i = 0; i < one.hosts.size(); ++i) {
      of_nodes.push_back({{one.groups.of_node[i]}, failed_nodes.contains(one.hosts[i])});
    }
    for (const auto& [a, b] : one.links) {
      Thing& link = of_links.emplace_back();
      link.failed = failed_links.contains(pair_of(one.hosts[a], one.hosts[b]));
      const std::size_t first = one.groups.of_node[a], second = one.groups.of_node[b];
      if (first != second) link.groups = {first, second};
    }
    look_at(one, of_nodes, by_nodes);
    look_at(one, of_links, by_links);
    looked_at += static_cast<double>(
        std::ranges::count_if(one.groups.sizes, [](std::size_t size) { return size > 1; }));
  }
  const auto is_no_chance = [&](const Shared& shared) {
    return shared.nodes != nullptr && shared.chance * looked_at < kByChance;
  };
  std::vector<std::string> texts;
  if (is_no_chance(by_nodes)) texts.push_back(text_of(by_nodes, "nodes", "are in", nodes));
  if (is_no_chance(by_links)) texts.push_back(text_of(by_links, "links", "leave", nodes));
  return texts;
}

}  // namespace scalemark::acceptance
