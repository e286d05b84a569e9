// One sentence for each part that did not pass: what a person has to know first.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/table/table.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kMostNames = 3;

// "training alone: 8.1 % slower (7.6 to 8.7), limit 5 %"
std::string check_text(const CheckResult& result) {
  std::string text = result.check + ": " + result.why;
  if (result.outcome == Outcome::kFailed && result.of_reference && result.limit && result.low) {
    text += ", limit " + given_percent(1 - *result.limit);
    if (result.limit_from.starts_with(kOfBaseline)) text += " by the baseline";
  } else if (result.outcome == Outcome::kFailed && result.value && result.limit &&
             !result.unit.empty()) {
    text += ", limit " + rate_text(*result.limit, result.unit) + " (" + result.limit_from + ")";
  }
  return text;
}

bool is_of_node(const CheckResult& result, const NodeResult& node) {
  return result.part.kind == PartKind::kDevice && result.part.host == node.node.host;
}

// "8 of 8 devices; training alone: 7.1 to 8.9 % slower"
std::string node_text(const Acceptance& acceptance, const NodeResult& node,
                      const std::string& check) {
  std::set<std::string> failed, all;  // a check may judge a device in several precisions
  double least = 1, most = 0;
  std::string why;
  for (const CheckResult& result : acceptance.results) {
    if (!is_of_node(result, node) || result.check != check) continue;
    all.insert(result.part.key());
    if (result.outcome != Outcome::kFailed) continue;
    failed.insert(result.part.key());
    why = result.why;
    const double below = 1 - result.of_reference.value_or(1);
    least = std::min(least, below);
    most = std::max(most, below);
  }
  std::string text =
      std::to_string(failed.size()) + " of " + counted(all.size(), "device") + ", " + check;
  if (!(most > 0)) return text + ": " + why;
  return text + ": " + percent_text(least) + " to " + percent(most) + " slower";
}

std::string and_more(std::size_t checks) {
  return checks < 2 ? ""
                    : " (and " + counted(static_cast<std::int64_t>(checks) - 1, "more check") + ")";
}

// This is told of one part, or of several of which the same is true.
struct Told {
  std::vector<std::string> names;
  std::set<std::string> checks;  // that say the same; empty: the reason names it
  std::string reason;
};

using Results = std::vector<const CheckResult*>;

// The reason that most of the results have.
Told commonly_told(const std::string& name, const Results& results) {
  std::map<std::string, Results> by_reason;
  for (const CheckResult* result : results) by_reason[result->why].push_back(result);
  const auto& [why, same] = *std::ranges::max_element(
      by_reason, {}, [](const auto& reason) { return reason.second.size(); });
  Told told{{same.size() == 1 ? same.front()->part.name() : name}, {}, why};
  for (const CheckResult* result : same) told.checks.insert(result->check);
  return told;
}

Told told_of(const Acceptance& acceptance, const std::string& name, const Results& results) {
  if (results.front()->outcome != Outcome::kFailed) return commonly_told(name, results);
  const auto node = std::ranges::find_if(
      acceptance.nodes, [&](const NodeResult& one) { return one.node.host == name; });
  if (node != acceptance.nodes.end() && !node->at_fault.empty()) {
    return {{name},
            {},
            node_text(acceptance, *node, node->at_fault.front()) + and_more(node->at_fault.size())};
  }
  std::set<std::string> checks;
  for (const CheckResult* result : results) checks.insert(result->check);
  return {{name}, {}, check_text(*results.front()) + and_more(checks.size())};
}

// A node trains as slowly as its slowest device: the device is told.
bool is_told_by_a_device(const Acceptance& acceptance, const CheckResult& node) {
  if (node.part.kind != PartKind::kNode || !node.of_reference) return false;
  return std::ranges::any_of(acceptance.results, [&](const CheckResult& one) {
    return one.outcome == Outcome::kFailed && one.part.kind == PartKind::kDevice &&
           one.part.host == node.part.host && one.of_reference;
  });
}

// Results of one outcome by the name that they are told by, in their order. A failed node that is
// to blame is told once, and each failed part of another; undecided ones and those without a value
// are told by nodes, which the head counts. What else is open about a node that is told under a
// worse outcome decides nothing.
std::vector<std::pair<std::string, Results>> by_name(const Acceptance& acceptance,
                                                     Outcome outcome) {
  const bool failed = outcome == Outcome::kFailed;
  std::map<std::string, const NodeResult*> nodes;
  for (const NodeResult& node : acceptance.nodes) nodes[node.node.host] = &node;
  std::vector<std::pair<std::string, Results>> all;
  std::map<std::string, std::size_t> places;
  for (const CheckResult& result : acceptance.results) {
    if (result.outcome != outcome) continue;
    const Part& part = result.part;
    const auto node = part.kind == PartKind::kLink ? nodes.end() : nodes.find(part.host);
    if (node != nodes.end() && node->second->outcome > outcome) continue;
    if (failed && is_told_by_a_device(acceptance, result)) continue;
    const bool by_part = node == nodes.end() || (failed && node->second->at_fault.empty());
    const auto [place, is_new] = places.try_emplace(by_part ? part.name() : part.host, all.size());
    if (is_new) all.emplace_back(place->first, Results{});
    all[place->second].second.push_back(&result);
  }
  return all;
}

}  // namespace

std::set<std::string> hosts_worse_than(const Acceptance& acceptance, Outcome outcome) {
  std::set<std::string> hosts;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome > outcome) hosts.insert(node.node.host);
  }
  return hosts;
}

std::string scheduler_name(const Part& part) {
  return part.scheduler_node.empty() ? part.host : part.scheduler_node;
}

std::string reason_of(const Acceptance& acceptance, const NodeResult& node) {
  if (!node.at_fault.empty()) return node_text(acceptance, node, node.at_fault.front());
  for (const CheckResult& result : acceptance.results) {
    const bool is_its = result.part.kind != PartKind::kLink && result.part.host == node.node.host;
    if (!is_its || result.outcome != node.outcome) continue;
    const std::string device =
        result.part.kind == PartKind::kDevice ? result.part.device + ", " : "";
    return device + check_text(result);
  }
  return std::string(name_of(node.outcome));
}

std::vector<PartSentence> sentences_of(const Acceptance& acceptance, Outcome outcome) {
  std::vector<Told> all;
  for (const auto& [name, results] : by_name(acceptance, outcome)) {
    Told told = told_of(acceptance, name, results);
    const auto same = std::ranges::find(all, told.reason, &Told::reason);
    if (same == all.end()) {
      all.push_back(std::move(told));
    } else {
      same->names.push_back(std::move(told.names.front()));
      same->checks.merge(told.checks);
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const Told& one) { return one.names.size(); });
  std::vector<PartSentence> sentences;
  for (const Told& one : all) {
    sentences.push_back(
        {one.names, one.checks.empty() ? one.reason
                                       : one.reason + " (" + listed(one.checks, kMostNames) + ")"});
  }
  return sentences;
}

}  // namespace scalemark::acceptance
