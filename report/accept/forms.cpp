#include "report/accept/forms.h"

#include <algorithm>
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
  for (const CheckResult* one : worst_first(acceptance)) text += line_of("check", *one);
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
