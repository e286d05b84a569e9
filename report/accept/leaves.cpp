// Tells failed nodes and failed links that share a leaf switch of a topology that is given, a node,
// or both ends: a cause is one sentence.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/base/characters.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/statistics/shared_group.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/accept/topology.h"

namespace scalemark::acceptance {
namespace {

using statistics::JudgedLink;
using statistics::LinksOf;
using statistics::SharedGroup;

constexpr double kByChanceOfLeaves = 0.05;
constexpr std::size_t kMostLeaves = 8;  // are named of nodes, and of links
constexpr std::size_t kLongestNodeList = 40;

// The nodes of a fleet with their leaves, by numbers.
class FleetOfLeaves {
 public:
  FleetOfLeaves(const Acceptance& acceptance, const Topology& topology) : nodes_(acceptance.nodes) {
    std::map<std::string, std::size_t> leaves;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      numbers_[nodes_[i].node.host] = i;
      std::vector<std::size_t>& own = leaves_of_.emplace_back();
      const auto* names = topology.leaves_of(nodes_[i].node);
      if (names == nullptr) unknown_.push_back(scheduler_name(nodes_[i].node));
      for (const std::string& name : names == nullptr ? std::vector<std::string>() : *names) {
        const auto [known, is_new] = leaves.try_emplace(name, names_.size());
        if (is_new) names_.push_back(name);
        if (is_new) members_.emplace_back();
        own.push_back(known->second);
        members_[known->second].insert(i);
      }
    }
  }

  std::size_t size() const { return nodes_.size(); }
  const std::vector<std::string>& unknown() const { return unknown_; }
  const std::vector<std::set<std::size_t>>& members() const { return members_; }
  const std::string& name(std::size_t leaf) const { return names_[leaf]; }

  std::optional<std::size_t> number(const std::string& host) const {
    const auto found = numbers_.find(host);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  // "leaf3 (n[065-096])"
  std::string text_of(std::size_t leaf) const {
    return names_[leaf] + " (" + nodes_in(members_[leaf]) + ")";
  }
  std::string nodes_in(const std::set<std::size_t>& members) const {
    std::vector<std::string> names;
    for (const std::size_t node : members) names.push_back(scheduler_name(nodes_[node].node));
    return nodes_text(names);
  }

  // The leaf of each node at each of `places`: where a node has fewer adapters than places,
  // neighbours share one, as ranks do.
  std::vector<std::vector<std::size_t>> at_places(std::size_t places) const {
    std::vector<std::vector<std::size_t>> all;
    for (const std::vector<std::size_t>& own : leaves_of_) {
      std::vector<std::size_t>& at = all.emplace_back(places, statistics::kNoGroup);
      for (std::size_t place = 0; place < places && !own.empty(); ++place) {
        at[place] = own[place * own.size() / places];
      }
    }
    return all;
  }

 private:
  const std::vector<NodeResult>& nodes_;
  std::map<std::string, std::size_t> numbers_;       // by host
  std::vector<std::vector<std::size_t>> leaves_of_;  // by node
  std::vector<std::string> names_;                   // by leaf
  std::vector<std::set<std::size_t>> members_;       // by leaf: nodes
  std::vector<std::string> unknown_;                 // nodes that the topology does not have
};

std::set<std::size_t> failed_nodes_of(const Acceptance& acceptance, const FleetOfLeaves& fleet) {
  std::set<std::size_t> failed;
  for (const CheckResult& result : acceptance.results) {
    if (result.outcome != Outcome::kFailed || !is_rate(result)) continue;
    if (result.part.kind == PartKind::kLink) continue;
    if (const auto node = fleet.number(result.part.host)) failed.insert(*node);
  }
  return failed;
}

std::size_t in_common(const std::set<std::size_t>& some, const std::set<std::size_t>& others) {
  return static_cast<std::size_t>(
      std::ranges::count_if(some, [&](std::size_t one) { return others.contains(one); }));
}

// Leaves behind which the same nodes stand cannot be told apart by nodes.
using LeavesByNodes = std::map<std::set<std::size_t>, std::vector<std::string>>;

std::string text_of_nodes(const FleetOfLeaves& fleet, const LeavesByNodes::value_type& leaves,
                          std::size_t failed_here, std::size_t failed) {
  const bool one = leaves.second.size() == 1;
  return std::to_string(failed_here) + " of " + std::to_string(failed) +
         " failed nodes are behind " + (one ? "switch " : "switches ") + listed(leaves.second, 3) +
         " (" + fleet.nodes_in(leaves.first) + "): look at " + (one ? "it" : "them");
}

void add_leaves_of_nodes(const FleetOfLeaves& fleet, std::set<std::size_t> failed,
                         std::vector<std::string>& texts) {
  LeavesByNodes leaves;
  for (std::size_t leaf = 0; leaf < fleet.members().size(); ++leaf) {
    const std::set<std::size_t>& nodes = fleet.members()[leaf];
    if (nodes.size() > 1 && nodes.size() < fleet.size()) leaves[nodes].push_back(fleet.name(leaf));
  }
  const std::size_t all_failed = failed.size();
  const auto compared = static_cast<double>(leaves.size());
  std::set<std::size_t> told;  // nodes behind leaves that are named
  for (std::size_t named = 0; named < kMostLeaves && !failed.empty(); ++named) {
    const LeavesByNodes::value_type* best = nullptr;
    double least = kByChanceOfLeaves / compared;
    for (const auto& one : leaves) {
      const double chance = statistics::chance_of_sharing(
          in_common(one.first, failed), failed.size(),
          one.first.size() - in_common(one.first, told), fleet.size() - told.size());
      if (chance >= least) continue;
      least = chance;
      best = &one;
    }
    if (best == nullptr) return;
    texts.push_back(text_of_nodes(fleet, *best, in_common(best->first, failed), all_failed));
    for (const std::size_t node : best->first) failed.erase(node);
    told.insert(best->first.begin(), best->first.end());
  }
}

// Each link that was judged, with its name: it failed if one of its checks did.
struct JudgedLinks {
  std::vector<std::string> names;
  std::vector<JudgedLink> links;
  std::size_t places = 1;  // the most ranks of a node that links are between

  void add(std::string name, const JudgedLink& link) {
    names.push_back(std::move(name));
    links.push_back(link);
  }
};

// The ranks of each host that links begin at, in their order: a rank is linked with the one at its
// place.
std::map<std::string, std::set<int>> linked_ranks(const Acceptance& acceptance) {
  std::map<std::string, std::set<int>> ranks;
  for (const CheckResult& result : acceptance.results) {
    const Part& part = result.part;
    if (part.kind == PartKind::kLink) ranks[part.host].insert(part.rank.value_or(0));
  }
  return ranks;
}

JudgedLinks judged_links(const Acceptance& acceptance, const FleetOfLeaves& fleet) {
  JudgedLinks judged;
  const auto ranks = linked_ranks(acceptance);
  for (const auto& [host, own] : ranks) judged.places = std::max(judged.places, own.size());
  std::map<std::string, std::size_t> known;
  for (const CheckResult& result : acceptance.results) {
    const Part& part = result.part;
    if (part.kind != PartKind::kLink || !is_rate(result)) continue;
    const auto a = fleet.number(part.host), b = fleet.number(part.other);
    if (!a || !b) continue;
    const auto [found, is_new] = known.try_emplace(part.name(), judged.links.size());
    if (is_new) {
      const std::set<int>& own = ranks.at(part.host);
      const auto place = std::distance(own.begin(), own.find(part.rank.value_or(0)));
      judged.add(found->first, {*a, *b, static_cast<std::size_t>(place)});
    }
    judged.links[found->second].failed |= result.outcome == Outcome::kFailed;
  }
  return judged;
}

// "leave or enter switch leaf3 (n[065-096]): look at its uplinks"
std::string text_of_links(const FleetOfLeaves& fleet, const SharedGroup& shared) {
  std::vector<std::string> names{fleet.text_of(shared.group)};
  for (const std::size_t other : shared.or_groups) names.push_back(fleet.text_of(other));
  const std::string leaf = "switch " + joined(names, " or ");
  switch (shared.links) {
    case LinksOf::kLeaving:
      return "leave or enter " + leaf + ": look at its uplinks";
    case LinksOf::kWithin:
      return "are between nodes of " + leaf + ": look at the switch";
    case LinksOf::kTouching:
      break;
  }
  return "end at nodes of " + leaf + ": look at the switch and its cables";
}

// Names the leaf that explains most first, then those of the links that it does not touch.
void add_leaves_of_links(const FleetOfLeaves& fleet, JudgedLinks judged, Acceptance& acceptance) {
  const auto groups = fleet.at_places(judged.places);
  const auto all_failed = std::ranges::count_if(judged.links, &JudgedLink::failed);
  for (std::size_t named = 0; named < kMostLeaves; ++named) {
    const auto shared = statistics::shared_group(judged.links, groups, kByChanceOfLeaves);
    if (!shared) return;
    acceptance.notes.push_back(std::to_string(shared->failed_here) + " of " +
                               std::to_string(all_failed) + " failed links " +
                               text_of_links(fleet, *shared));
    const std::string told = counted(static_cast<std::int64_t>(shared->failed_here), "link") +
                             " of " + fleet.text_of(shared->group);
    const LinksOf explained =
        shared->links == LinksOf::kWithin ? LinksOf::kWithin : LinksOf::kTouching;
    JudgedLinks rest{.places = judged.places};
    for (std::size_t i = 0; i < judged.links.size(); ++i) {
      const JudgedLink& link = judged.links[i];
      if (link.failed && statistics::is_of_group(link, shared->group, shared->links, groups))
        acceptance.told_as[judged.names[i]] = told;
      if (statistics::is_of_group(link, shared->group, explained, groups)) continue;
      rest.add(std::move(judged.names[i]), link);
    }
    judged = std::move(rest);
  }
}

}  // namespace

void tell_shared_leaves(Acceptance& acceptance, const Topology& topology) {
  const FleetOfLeaves fleet(acceptance, topology);
  add_leaves_of_nodes(fleet, failed_nodes_of(acceptance, fleet), acceptance.notes);
  add_leaves_of_links(fleet, judged_links(acceptance, fleet), acceptance);
  if (fleet.unknown().empty()) return;
  acceptance.notes.push_back("not in --topology, and behind no switch: " +
                             listed(fleet.unknown(), 3));
}

void tell_links_as_one(Acceptance& acceptance) {
  struct Links {
    std::set<std::string> failed;  // names
    std::size_t all = 0;
  };
  std::map<std::string, Links> of_host;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> of_pair;
  std::set<std::string> seen;
  for (const CheckResult& result : acceptance.results) {
    const Part& part = result.part;
    if (part.kind != PartKind::kLink || result.outcome == Outcome::kMissing) continue;
    const bool failed = result.outcome == Outcome::kFailed;
    const bool is_new = seen.insert(part.name()).second;
    for (const std::string& host : {part.host, part.other}) {
      of_host[host].all += is_new ? 1 : 0;
      if (failed) of_host[host].failed.insert(part.name());
    }
    if (failed) of_pair[{part.host, part.other}].insert(part.name());
  }
  std::vector<std::pair<std::string, const Links*>> hosts;
  for (const auto& [host, links] : of_host) {
    if (links.failed.size() > 2 && 2 * links.failed.size() >= links.all)
      hosts.emplace_back(host, &links);
  }
  std::ranges::stable_sort(hosts, std::greater<>(),
                           [](const auto& one) { return one.second->failed.size(); });
  for (const auto& [host, links] : hosts) {
    std::vector<std::string> own;
    for (const std::string& name : links->failed) {
      if (!acceptance.told_as.contains(name)) own.push_back(name);
    }
    if (own.size() < 3) continue;
    for (const std::string& name : own)
      acceptance.told_as[name] = counted(own.size(), "link") + " of " + host;
  }
  for (const auto& [pair, names] : of_pair) {
    if (names.size() < 2) continue;
    for (const std::string& name : names) {
      acceptance.told_as.try_emplace(
          name, counted(names.size(), "link") + " of " + pair.first + " with " + pair.second);
    }
  }
}

std::string told_name(const Acceptance& acceptance, const Part& part) {
  const auto told = acceptance.told_as.find(part.name());
  return told == acceptance.told_as.end() ? part.name() : told->second;
}

CheckResult told_result(const Acceptance& acceptance,
                        const std::vector<const CheckResult*>& results) {
  CheckResult slowest = *results.front(), fastest = slowest;
  if (!acceptance.told_as.contains(slowest.part.name()) || !slowest.value) return slowest;
  for (const CheckResult* result : results) {
    if (result->check != slowest.check || !result->value) continue;
    if (result->value < slowest.value) slowest = *result;
    if (result->value > fastest.value) fastest = *result;
  }
  slowest.why = rate_text(*slowest.value, slowest.unit);
  const std::string most = rate_text(*fastest.value, slowest.unit);
  if (most != slowest.why) slowest.why += " to " + most;
  return slowest;
}

std::string nodes_text(const std::vector<std::string>& names) {
  const std::string list = with_blanks(launching::compressed_nodelist(names));
  return list.size() <= kLongestNodeList ? list
                                         : counted(static_cast<std::int64_t>(names.size()), "node");
}

}  // namespace scalemark::acceptance
