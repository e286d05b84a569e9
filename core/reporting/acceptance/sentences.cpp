// One sentence for each part that did not pass: what a person has to know first.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/table/fingerprint_table.h"

namespace scalemark::acceptance {
namespace {

// Equal reasons of so many parts are told once.
constexpr std::size_t kPartsToJoin = 3;

// "training alone: 8.1 % slower (7.6 to 8.7), limit 5 %"
std::string check_text(const CheckResult& result) {
  std::string text = result.check + ": " + result.why;
  if (result.outcome == Outcome::kFailed && result.of_reference && result.limit && result.low) {
    text += printed(", limit %.3g %%", 100 * (1 - *result.limit));
    if (result.limit_from.starts_with(kOfBaseline)) text += " by the baseline";
  } else if (result.outcome == Outcome::kFailed && result.value && result.limit &&
             !result.unit.empty()) {
    text += ", limit " + reporting::rate_text(*result.limit, result.unit) + " (" +
            result.limit_from + ")";
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
  std::string text = std::to_string(failed.size()) + " of " +
                     counted(static_cast<std::int64_t>(all.size()), "device") + ", " + check;
  if (!(most > 0)) return text + ": " + why;
  return text + printed(": %.1f", 100 * least) + printed(" to %.1f %% slower", 100 * most);
}

class Teller {
 public:
  Teller(const Acceptance& acceptance, Outcome outcome)
      : acceptance_(acceptance), outcome_(outcome), worse_(hosts_worse_than(acceptance, outcome)) {
    for (const CheckResult& result : acceptance.results) {
      const bool is_worse = result.part.kind == PartKind::kLink && result.outcome > outcome;
      if (is_worse) worse_.insert(result.part.name());
    }
    if (outcome_ == Outcome::kFailed) add_nodes();
    fold_slow_together();
    join_equal_reasons();
    add_parts();
  }

  std::vector<PartSentence> told() { return std::move(sentences_); }

 private:
  bool is_open(const CheckResult& result) const {
    if (result.outcome != outcome_ || told_.contains(&result)) return false;
    return !worse_.contains(result.part.kind == PartKind::kLink ? result.part.name()
                                                                : result.part.host);
  }

  // A node that is to blame is told once, and not each of its devices.
  void add_nodes() {
    for (const NodeResult& node : acceptance_.nodes) {
      if (node.at_fault.empty()) continue;
      std::string text = node_text(acceptance_, node, node.at_fault.front());
      if (node.at_fault.size() > 1) {
        text += " (and " +
                counted(static_cast<std::int64_t>(node.at_fault.size()) - 1, "more check") + ")";
      }
      sentences_.push_back({node.node.host, text});
      for (const CheckResult& result : acceptance_.results) {
        const bool is_its =
            result.part.kind != PartKind::kLink && result.part.host == node.node.host;
        if (is_its && result.outcome == outcome_) told_.insert(&result);
      }
    }
  }

  // A node trains as slowly as its slowest device: the device is told.
  void fold_slow_together() {
    for (const CheckResult& node : acceptance_.results) {
      if (!is_open(node) || node.part.kind != PartKind::kNode || !node.of_reference) continue;
      const bool by_device = std::ranges::any_of(acceptance_.results, [&](const CheckResult& one) {
        return one.outcome == outcome_ && one.part.kind == PartKind::kDevice &&
               one.part.host == node.part.host && one.of_reference;
      });
      if (by_device) told_.insert(&node);
    }
  }

  // The largest groups first. Whose node is undecided is told once: the head counts nodes.
  void join_equal_reasons() {
    std::map<std::string, std::vector<const CheckResult*>> by_reason;
    for (const CheckResult& result : acceptance_.results) {
      if (is_open(result) && is_of_a_node(result)) by_reason[result.why].push_back(&result);
    }
    std::vector<std::vector<const CheckResult*>> groups;
    for (auto& [why, results] : by_reason) groups.push_back(std::move(results));
    std::ranges::stable_sort(groups, std::greater<>(),
                             [](const auto& group) { return group.size(); });
    for (auto& group : groups) {
      std::erase_if(group, [&](const CheckResult* result) { return told_.contains(result); });
      if (group.size() >= kPartsToJoin) tell_together(group);
    }
  }

  bool is_of_a_node(const CheckResult& result) const {
    return result.part.kind != PartKind::kLink &&
           std::ranges::any_of(acceptance_.nodes, [&](const NodeResult& node) {
             return node.node.host == result.part.host;
           });
  }

  void tell_together(const std::vector<const CheckResult*>& results) {
    std::set<std::string> parts, hosts, checks;
    for (const CheckResult* result : results) {
      parts.insert(result->part.name());
      hosts.insert(result->part.host);
      checks.insert(result->check);
    }
    const auto count = static_cast<std::int64_t>(hosts.size());
    std::string names = count == 1 ? *hosts.begin() : counted(count, "node");
    if (count > 1 && count <= 3) names = joined(hosts, ", ");
    if (parts.size() == 1) names = *parts.begin();
    sentences_.push_back({names, results.front()->why + " (" + listed(checks, 3) + ")"});
    told_.insert(results.begin(), results.end());
    if (outcome_ != Outcome::kUnsure) return;
    for (const CheckResult& result : acceptance_.results) {
      if (result.part.kind != PartKind::kLink && hosts.contains(result.part.host)) {
        told_.insert(&result);
      }
    }
  }

  void add_parts() {
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<const CheckResult*, int>> parts;  // the first check, and how many
    for (const CheckResult& result : acceptance_.results) {
      if (!is_open(result)) continue;
      const auto [found, is_new] = places.try_emplace(result.part.key(), parts.size());
      if (is_new) parts.emplace_back(&result, 0);
      ++parts[found->second].second;
    }
    for (const auto& [first, checks] : parts) {
      std::string text = check_text(*first);
      if (checks > 1) text += " (and " + counted(checks - 1, "more check") + ")";
      sentences_.push_back({first->part.name(), text});
    }
  }

  const Acceptance& acceptance_;
  Outcome outcome_;
  std::set<std::string> worse_;  // hosts and links
  std::set<const CheckResult*> told_;
  std::vector<PartSentence> sentences_;
};

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
  return Teller(acceptance, outcome).told();
}

}  // namespace scalemark::acceptance
