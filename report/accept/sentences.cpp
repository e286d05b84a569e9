// The sentences on parts that did not pass: alike ones are one, and a node that is to blame stands
// for its devices.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "report/accept/forms.h"
#include "report/say/table/table.h"

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

using Results = std::vector<const CheckResult*>;

const Results& results_at(const ResultsOfHosts& results, const std::string& host) {
  static const Results kNone;
  const auto found = results.find(host);
  return found == results.end() ? kNone : found->second;
}

// "8 of 8 devices; training alone: 7.1 to 8.9 % slower"
std::string node_text(const NodeResult& node, const ResultsOfHosts& results,
                      const std::string& check) {
  std::set<std::string> failed, all;  // keys: a check may judge a device in several precisions
  double least = 1, most = 0;
  std::string why;
  for (const CheckResult* one : results_at(results, node.node.host)) {
    const CheckResult& result = *one;
    if (result.part.kind != PartKind::kDevice || result.check != check) continue;
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

// One statement about a part, or about several of which the same is true.
struct Statement {
  std::vector<std::string> names;
  std::set<std::string> checks;  // checks with this reason; empty: the reason names its check
  std::string reason;
  bool stopped = false;
};

// Returns the reason that most of the results have.
Statement shared_statement(const std::string& name, const Results& results) {
  std::map<std::string, Results> by_reason;
  for (const CheckResult* result : results) by_reason[result->why].push_back(result);
  const auto& [why, same] = *std::ranges::max_element(
      by_reason, {}, [](const auto& reason) { return reason.second.size(); });
  Statement statement{{same.size() == 1 ? same.front()->part.name() : name}, {}, why};
  statement.stopped = same.front()->stopped.has_value();
  for (const CheckResult* result : same) statement.checks.insert(result->check);
  return statement;
}

Statement statement_of(const Acceptance& acceptance, const ResultsOfHosts& of_hosts,
                       const std::string& name, const Results& results) {
  if (results.front()->outcome != Outcome::kFailed) return shared_statement(name, results);
  const auto node = std::ranges::find_if(
      acceptance.nodes, [&](const NodeResult& one) { return one.node.host == name; });
  if (node != acceptance.nodes.end() && !node->at_fault.empty()) {
    const std::string text = node_text(*node, of_hosts, node->at_fault.front());
    return {{name}, {}, text + and_more(node->at_fault.size())};
  }
  std::set<std::string> checks;
  for (const CheckResult* result : results) checks.insert(result->check);
  return {{name}, {}, check_text(told_result(acceptance, results)) + and_more(checks.size())};
}

// A node trains as slowly as its slowest device, so the sentence is about the device.
bool is_reported_for_device(const ResultsOfHosts& of_hosts, const CheckResult& node) {
  if (node.part.kind != PartKind::kNode || !node.of_reference) return false;
  return std::ranges::any_of(results_at(of_hosts, node.part.host), [](const CheckResult* one) {
    return one->outcome == Outcome::kFailed && one->part.kind == PartKind::kDevice &&
           one->of_reference;
  });
}

// Groups the results of one outcome by the names that sentences have, in their order. A failed node
// that is to blame has one sentence, as has each failed part of another node. Undecided parts and
// those without a value go by their nodes, which the head counts. A node that is listed under a
// worse outcome is left out: what else is open about it decides nothing.
std::vector<std::pair<std::string, Results>> by_name(const Acceptance& acceptance,
                                                     const ResultsOfHosts& of_hosts,
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
    if (failed && is_reported_for_device(of_hosts, result)) continue;
    const bool by_part = node == nodes.end() || (failed && node->second->at_fault.empty());
    const auto [place, is_new] =
        places.try_emplace(by_part ? told_name(acceptance, part) : part.host, all.size());
    if (is_new) all.emplace_back(place->first, Results{});
    all[place->second].second.push_back(&result);
  }
  return all;
}

}  // namespace

std::string listed_checks(const std::set<std::string>& checks, std::size_t most) {
  const bool have_commas = std::ranges::any_of(
      checks, [](const std::string& name) { return name.find(',') != std::string::npos; });
  if (!have_commas) return listed(checks, most);
  std::vector<std::string> shown(checks.begin(), checks.end());
  const std::size_t more = shown.size() - std::min(shown.size(), most);
  shown.resize(shown.size() - more);
  return joined(shown, "; ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::set<std::string> hosts_worse_than(const Acceptance& acceptance, Outcome outcome) {
  std::set<std::string> hosts;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome > outcome) hosts.insert(node.node.host);
  }
  return hosts;
}

ResultsOfHosts results_of_hosts(const std::vector<CheckResult>& results) {
  ResultsOfHosts of_hosts;
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kLink) of_hosts[result.part.host].push_back(&result);
  }
  return of_hosts;
}

std::string reason_of(const NodeResult& node, const ResultsOfHosts& results) {
  if (!node.at_fault.empty()) return node_text(node, results, node.at_fault.front());
  for (const CheckResult* result : results_at(results, node.node.host)) {
    if (result->outcome != node.outcome) continue;
    const bool is_of_device = result->part.kind == PartKind::kDevice;
    return (is_of_device ? result->part.device + ", " : "") + check_text(*result);
  }
  return std::string(name_of(node.outcome));
}

std::vector<PartSentence> sentences_of(const Acceptance& acceptance, Outcome outcome) {
  const ResultsOfHosts of_hosts = results_of_hosts(acceptance.results);
  std::vector<Statement> all;
  for (const auto& [name, results] : by_name(acceptance, of_hosts, outcome)) {
    Statement statement = statement_of(acceptance, of_hosts, name, results);
    const auto same = std::ranges::find(all, statement.reason, &Statement::reason);
    if (same == all.end()) {
      all.push_back(std::move(statement));
    } else {
      same->names.push_back(std::move(statement.names.front()));
      same->checks.merge(statement.checks);
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const auto& one) { return one.names.size(); });
  std::vector<PartSentence> sentences;
  for (const Statement& one : all) {
    sentences.push_back({one.names,
                         one.checks.empty()
                             ? one.reason
                             : one.reason + " (" + listed_checks(one.checks, kMostNames) + ")",
                         one.stopped});
  }
  return sentences;
}

}  // namespace scalemark::acceptance
