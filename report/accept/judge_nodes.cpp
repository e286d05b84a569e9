// Judges nodes as a whole: each is as bad as its worst check, and failed ones may stand behind one
// switch.
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

namespace scalemark::acceptance {
namespace {

// A node is as bad as its worst check, and may be to blame rather than its devices.
class NodeJudge {
 public:
  NodeJudge(const std::vector<CheckResult>& results, const Expected& expected)
      : of_host_(results_of_hosts(results)), expected_(expected) {}

  NodeResult judge(const Part& node) const {
    NodeResult judged{.node = node};
    std::set<std::string> devices;
    std::map<std::string, std::vector<statistics::AcceptanceOutcome>> by_check;
    const auto own = of_host_.find(node.host);
    if (own == of_host_.end()) return judged;
    for (const CheckResult* one : own->second) {
      const CheckResult& result = *one;
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
  ResultsOfHosts of_host_;
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

// Times of small and of large messages, as logarithms.
using Levels = std::map<HostPair, std::array<double, 2>>;

// Between two hosts the quickest of their links counts: of several cards one may be bad.
Levels levels_of(const reporting::Report& report) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Levels levels;
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->latency_s) || !is_measured(link->bandwidth_GBps)) continue;
    const auto [found, is_new] =
        levels.try_emplace(pair_of(link->a, link->b), std::array{kNone, kNone});
    found->second[0] = std::min(found->second[0], std::log(link->latency_s));
    found->second[1] = std::min(found->second[1], -std::log(link->bandwidth_GBps));
  }
  return levels;
}

// Nodes that no chain of links connects were measured in different waves, which are apart.
std::vector<Levels> by_wave(const Levels& levels) {
  std::map<std::string, std::string> next;  // leads to one node of each wave
  const auto root_of = [&](std::string host) {
    for (auto found = next.find(host); found != next.end(); found = next.find(host)) {
      host = found->second;
    }
    return host;
  };
  for (const auto& [pair, level] : levels) {
    const std::string a = root_of(pair.first), b = root_of(pair.second);
    if (a != b) next[std::max(a, b)] = std::min(a, b);
  }
  std::map<std::string, Levels> waves;
  for (const auto& [pair, level] : levels) waves[root_of(pair.first)].emplace(pair, level);
  std::vector<Levels> all;
  for (auto& [root, wave] : waves) all.push_back(std::move(wave));
  return all;
}

// Groups nodes by small messages, and again by large ones. The last measurement of a link counts.
std::vector<Grouping> groupings_of(std::span<const NamedReport> reports) {
  Levels levels;
  for (const NamedReport& one : reports) {
    if (!reporting::measures_collectives(one.report)) continue;
    for (const auto& [pair, level] : levels_of(one.report)) levels[pair] = level;
  }
  std::vector<Grouping> all;
  for (const Levels& wave : by_wave(levels)) {
    std::map<std::string, std::size_t> numbers;
    Grouping grouping;
    for (const auto& [pair, level] : wave) {
      for (const std::string& host : {pair.first, pair.second}) {
        if (numbers.try_emplace(host, numbers.size()).second) grouping.hosts.push_back(host);
      }
      grouping.links.emplace_back(numbers[pair.first], numbers[pair.second]);
    }
    for (const std::size_t which : {0U, 1U}) {
      std::vector<LinkLevel> links;
      for (const auto& [pair, level] : wave) {
        links.push_back({static_cast<int>(numbers[pair.first]),
                         static_cast<int>(numbers[pair.second]), level[which]});
      }
      if (auto link_groups = statistics::groups_of_links(links, numbers.size())) {
        grouping.link_groups = std::move(*link_groups);
        all.push_back(grouping);
      }
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
  bool of_links = false;

  // Links that leave a link group leave the rest of the nodes as well. The smaller side is named: a
  // healthy majority leaves nothing else to look at.
  bool names_rest() const {
    return of_links && 2 * grouping->link_groups.sizes[link_group] > grouping->hosts.size();
  }
  bool names(std::size_t host) const {
    return (grouping->link_groups.of_node[host] == link_group) != names_rest();
  }
  std::size_t named() const {
    const std::size_t size = grouping->link_groups.sizes[link_group];
    return names_rest() ? grouping->hosts.size() - size : size;
  }

  // The least chance is first; of equal ones the farthest from the others, then the one that names
  // the fewest nodes.
  auto order() const {
    if (grouping == nullptr) return std::tuple(chance, 0.0, std::size_t{0});
    return std::tuple(chance, -grouping->link_groups.times_as_long, named());
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
    const Shared one{chance, failed_here, failed, &grouping, link_group, best.of_links};
    if (one.order() < best.order()) best = one;
  }
}

std::string text_of(const Shared& shared, const std::string& members, const std::string& verb,
                    const std::vector<NodeResult>& nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shared.grouping->hosts.size(); ++i) {
    if (!shared.names(i)) continue;
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
  Shared by_nodes, by_links{.of_links = true};
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
