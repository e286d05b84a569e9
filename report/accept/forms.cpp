#include "report/accept/forms.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/base/record_json.h"
#include "report/say/render/junit.h"
#include "report/say/table/table.h"

namespace scalemark::acceptance {

// The fields of the document scalemark.acceptance/1. See field.h.
template <class A>
constexpr void fields(A& a, typename A::template Field<Part>& p) {
  a.record("part", "A device, a node, or a link between two nodes");
  a.choice("kind", p.kind, {"device | node | link | fleet"});
  a("host", p.host, {"the machine; of a link its first end"});
  a.text("scheduler_node", p.scheduler_node, {"the name that the scheduler gives the machine"});
  a.text("device", p.device, {"cuda:3, as in ranks; cpu:1: the second rank of a machine"});
  a.text("uuid", p.uuid, {"unique id of the GPU"});
  a.text("pci", p.pci, {"its PCI address"});
  a.text("serial", p.serial, {"serial number of its board"});
  a("rank", p.rank, {"its rank, in the report that named it first"});
  a.text("other", p.other, {"the second end of a link"});
  a.text("end", p.end, {"its name where ranks are linked"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CheckResult>& r) {
  a.record("check", "One check of one part");
  a("check", r.check, {"name of the check in the rules"});
  a.text("class", r.of_class, {"only parts of one class are compared"});
  a("part", r.part, {"that was judged"});
  a.choice("outcome", r.outcome, {"passed | unsure | missing | failed"});
  a("value", r.value, {"what was measured; of several starts exp of the mean ln"});
  a.text("unit", r.unit, {"of value"});
  a.text("fact", r.fact, {"a fact instead of a value"});
  a("of_reference", r.of_reference, {"value / reference"});
  a.pair("ci99", r.low, r.high, {"99 % interval of of_reference"});
  a("limit", r.limit, {"a share of the reference, or a value in unit"});
  a.text("limit_from", r.limit_from, {"what the limit is a share of, or whose number it is"});
  a("starts", r.starts, {"that counted"});
  a("more_starts", r.more_starts, {"until the next look; 0: none is needed, or none helps"});
  a.text("why", r.why, {"unless it passed"});
  a("stopped", r.stopped, {"true: its stage was stopped from outside, or by its time limit"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CheckedClass>& c) {
  a.record("class", "Parts that were compared with each other");
  a("check", c.check, {"name of the check in the rules"});
  a("class", c.of_class, {"product, what was measured, versions where they differ"});
  a.choice("of", c.of, {"device | node | link | fleet"});
  a("parts", c.parts, {"how many"});
  a("reference", c.reference, {"what the limit is a share of"});
  a.text("unit", c.unit, {"of reference"});
  a("limit", c.limit, {"the share of the reference that a part must reach"});
  a("smallest_decidable", c.smallest_decidable, {"a part that is slower by this share is found"});
  a.text("reference_from", c.reference_from, {"which parts reach it, or which baseline"});
  a.text("not_in_baseline", c.not_in_baseline,
         {"why the fleet gives the reference, although there is a baseline"});
  a.text("doubt", c.doubt, {"why its passes do not count"});
  a.list("kept_out", c.kept_out, {"parts beyond all others, which the reference leaves out"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<NodeResult>& n) {
  a.record("node", "One machine, as bad as its worst check");
  a("node", n.node, {"the machine"});
  a.choice("outcome", n.outcome, {"passed | unsure | missing | failed"});
  a("devices", n.devices, {"that were measured"});
  a.list("at_fault", n.at_fault, {"checks that blame the node rather than its devices"});
}

namespace {

using reporting::JunitCase;
using reporting::JunitOutcome;
using reporting::JunitSuite;

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

template <class T>
std::string line_of(const char* record, const T& value) {
  FieldJson line = {{"record", record}};
  const FieldJson fields = as_json(value, record);
  for (const auto& [key, field] : fields.items()) line[key] = field;
  return dumped(line) + "\n";
}

JunitCase case_of(const CheckResult& result) {
  JunitCase one{.class_name = "scalemark.acceptance." + result.check,
                .name = result.check + " " + result.part.name() +
                        (result.of_class.empty() ? "" : " (" + result.of_class + ")"),
                .kind = std::string(name_of(result.outcome)),
                .message = result.why};
  if (result.outcome == Outcome::kFailed) {
    if (result.limit_from.starts_with(kOfBaseline)) one.message += "; limit " + limit_text(result);
    one.outcome = JunitOutcome::kFailure;
  } else if (result.outcome != Outcome::kPassed) {
    one.outcome = JunitOutcome::kError;
  }
  return one;
}

}  // namespace

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
    sentences.push_back(
        {one.names,
         one.checks.empty() ? one.reason : one.reason + " (" + listed(one.checks, kMostNames) + ")",
         one.stopped});
  }
  return sentences;
}

std::string json_lines(const Acceptance& acceptance) {
  FieldJson head = {{"record", "acceptance"},
                    {"schema", "scalemark.acceptance/1"},
                    {"outcome", name_of(acceptance.outcome)},
                    {"exit_code", static_cast<int>(acceptance.exit_code)}};
  if (!acceptance.stopped_early.empty()) head["stopped_early"] = acceptance.stopped_early;
  if (!acceptance.notes.empty()) head["notes"] = acceptance.notes;
  if (!acceptance.explained.empty()) head["explained"] = acceptance.explained;
  if (!acceptance.explained.empty()) head["explain_command"] = acceptance.explain_command;
  if (!acceptance.published.empty()) head["published"] = acceptance.published;
  std::string text = dumped(head) + "\n";
  for (const auto& one : acceptance.classes) text += line_of("class", one);
  for (const auto& one : acceptance.nodes) text += line_of("node", one);
  for (const auto& one : worst_first(acceptance)) text += line_of("check", one);
  return text;
}

std::string junit_text(const Acceptance& acceptance) {
  std::map<std::string, std::vector<JunitCase>> by_host;
  for (const CheckResult& result : acceptance.results) {
    by_host[result.part.kind == PartKind::kLink ? "links" : result.part.host].push_back(
        case_of(result));
  }
  std::vector<JunitSuite> suites;
  for (auto& [host, cases] : by_host) {
    suites.push_back({.name = "scalemark accept " + host,
                      .started = acceptance.started,
                      .host = host,
                      .cases = std::move(cases)});
  }
  return reporting::junit_xml(suites);
}

}  // namespace scalemark::acceptance
