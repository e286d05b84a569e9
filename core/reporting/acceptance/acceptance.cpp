#include "core/reporting/acceptance/acceptance.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/statistics/acceptance.h"

namespace scalemark::acceptance {
namespace {

using reporting::Report;
using reporting::ReportStatus;

constexpr const char* kFleet = "the fleet";
constexpr const char* kNoReport = "no report";

Judged judged_by(const Rule& rule, const Rules& rules, const std::vector<Series>& all,
                 const Baseline* baseline) {
  switch (row_of(rule.metric).kind) {
    case ValueKind::kFloor:
      return judge_single(rule, all);
    case ValueKind::kCount:
      return judge_counts(rule, all);
    case ValueKind::kFact:
      return judge_facts(rule, all);
    case ValueKind::kRate:
      break;
  }
  return rule.of == LimitOf::kReference ? judge_by_reference(rule, rules, all, baseline)
                                        : judge_by_floor(rule, all);
}

bool applies(const Rule& rule, std::span<const NamedReport> reports, std::size_t nodes) {
  const Applies where = row_of(rule.metric).applies;
  if (where == Applies::kWithSeveralNodes) return nodes > 1;
  if (where == Applies::kEverywhere) return true;
  return std::ranges::any_of(reports, [](const NamedReport& one) {
    return std::ranges::any_of(one.report.environment.hosts,
                               [](const auto& host) { return !host.gpus.empty(); });
  });
}

CheckResult of_fleet(const std::string& check, Outcome outcome, std::string why) {
  CheckResult result;
  result.check = check;
  result.part.host = kFleet;
  result.outcome = outcome;
  result.why = std::move(why);
  return result;
}

// A report itself says this of its node.
struct End {
  Outcome outcome = Outcome::kPassed;
  std::string why;
};

End end_of(const Report& report) {
  if (!report.exit_code || report.status == ReportStatus::kPartial) {
    return {Outcome::kMissing, "its run did not come to its end"};
  }
  const auto code = static_cast<ExitCode>(*report.exit_code);
  if (code == ExitCode::kPass || code == ExitCode::kFail || code == ExitCode::kUnsure) return {};
  const std::string exit = "its run ended with exit code " + std::to_string(*report.exit_code);
  const std::string why = report.errors.empty() ? exit : exit + ": " + report.errors.back().what;
  const bool by_hardware = code == ExitCode::kSilentCorruption || code == ExitCode::kGpuFault;
  return {by_hardware ? Outcome::kFailed : Outcome::kMissing, why};
}

// Wrong bits end a sweep with 83: the check of bits names the device.
bool is_told_by_a_check(const Report& report, const Rules& rules) {
  return std::ranges::any_of(rules.checks,
                             [](const Rule& rule) { return rule.metric == Metric::kWrongBits; }) &&
         std::ranges::any_of(report.findings, [](const reporting::Finding& finding) {
           return finding.code == reporting::finding_kinds::wrong_bits.code;
         });
}

// A session that failed and was made good by a later one of the same command is past.
void add_ends(std::span<const NamedReport> reports, const Rules& rules,
              std::vector<CheckResult>& results) {
  std::map<std::string, CheckResult> last;
  for (const NamedReport& one : reports) {
    const Report& report = one.report;
    const auto parts = nodes_of(std::span(&one, 1));
    CheckResult result = of_fleet(kReportCheck, Outcome::kPassed, "");
    if (parts.size() == 1) result.part = parts.front();
    const End end = is_told_by_a_check(report, rules) ? End() : end_of(report);
    result.outcome = end.outcome;
    result.why = end.why;
    const std::string key = result.part.name() + "\n" + report.invocation.command;
    // Silent corruption is no bad luck that a second try takes away.
    const auto known = last.find(key);
    if (known != last.end() && known->second.outcome == Outcome::kFailed) continue;
    last[key] = std::move(result);
  }
  for (auto& [key, result] : last) results.push_back(std::move(result));
}

bool is_named(const Part& node, const std::string& name) {
  const std::string host = node.host.substr(0, node.host.find('.'));
  return name == node.host || name == host || name == node.scheduler_node;
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

void add_missing_nodes(const Expected& expected, std::span<const NamedReport> reports,
                       std::vector<Part>& nodes, std::vector<CheckResult>& results) {
  const std::vector<Part> trained = nodes_that_trained(reports);
  for (const std::string& name : expected.nodes) {
    const auto is_it = [&](const Part& node) { return is_named(node, name); };
    if (std::ranges::any_of(trained, is_it)) continue;
    const auto linked = std::ranges::find_if(nodes, is_it);
    CheckResult& result = results.emplace_back();
    result.check = kReportCheck;
    result.outcome = Outcome::kMissing;
    result.why = kNoReport;
    if (linked != nodes.end()) {
      result.part = *linked;
    } else {
      result.part.host = name;
      nodes.push_back(result.part);
    }
  }
}

// A device that other checks measured and this one did not would otherwise pass unseen.
void add_unmeasured_devices(const Rules& rules, std::vector<CheckResult>& results) {
  std::map<std::string, Part> devices;
  std::map<std::string, std::set<std::string>> by_check;
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kDevice) continue;
    by_check[result.check].insert(result.part.key());
    // "cpu" alone is a machine's measurement and no rank's.
    if (is_rate(result) && result.part.device != "cpu") devices[result.part.key()] = result.part;
  }
  for (const Rule& rule : rules.checks) {
    const bool of_rates =
        row_of(rule.metric).kind == ValueKind::kRate && rule.of != LimitOf::kDatasheet;
    const auto measured = by_check.find(rule.name);
    if (!of_rates || measured == by_check.end()) continue;
    for (const auto& [key, part] : devices) {
      if (measured->second.contains(key)) continue;
      CheckResult& result = results.emplace_back();
      result.check = rule.name;
      result.part = part;
      result.outcome = Outcome::kMissing;
      result.why = "this device was not measured";
    }
  }
}

// A check that some parts of a kind were measured by and others not.
void add_unmeasured(const Rule& rule, const std::vector<Part>& nodes,
                    std::vector<CheckResult>& results) {
  const MetricRow& row = row_of(rule.metric);
  std::set<std::string> measured, without_report;
  for (const CheckResult& result : results) {
    if (result.check == rule.name) measured.insert(result.part.host);
    if (result.why == kNoReport) without_report.insert(result.part.host);
  }
  if (measured.empty() && row.kind != ValueKind::kFact) {
    results.push_back(of_fleet(rule.name, Outcome::kUnsure,
                               "not measured: no report holds " + std::string(row.name)));
    return;
  }
  if (row.of == PartKind::kLink || row.kind == ValueKind::kFact) return;
  for (const Part& node : nodes) {
    if (measured.contains(node.host) || without_report.contains(node.host)) continue;
    CheckResult& result = results.emplace_back();
    result.check = rule.name;
    result.part = node;
    result.outcome = Outcome::kMissing;
    result.why = "no report of it has these";
  }
}

ExitCode exit_code(Outcome outcome) {
  if (outcome == Outcome::kPassed) return ExitCode::kPass;
  return outcome == Outcome::kFailed ? ExitCode::kFail : ExitCode::kUnsure;
}

}  // namespace

CheckResult result_like(const Rule& rule, const Series& series) {
  CheckResult result;
  result.check = rule.name;
  result.part = series.part;
  result.of_class = series.of_class;
  result.unit = row_of(rule.metric).unit;
  result.starts = series.starts.size();
  return result;
}

Acceptance accept(std::vector<NamedReport> reports, const Rules& rules, const Expected& expected,
                  const Baseline* baseline) {
  std::ranges::stable_sort(
      reports, {}, [](const NamedReport& one) -> const std::string& { return one.report.started; });
  Acceptance acceptance;
  std::vector<Part> nodes = nodes_of(reports);
  add_missing_nodes(expected, reports, nodes, acceptance.results);
  add_ends(reports, rules, acceptance.results);
  WithoutDatasheet without_datasheet;
  for (const Rule& rule : rules.checks) {
    if (!applies(rule, reports, nodes.size())) continue;
    Judged judged = judged_by(rule, rules, read_series(rule, reports), baseline);
    for (const std::string& chip : judged.without_datasheet) {
      without_datasheet[chip].emplace_back(row_of(rule.metric).name);
    }
    std::ranges::move(judged.results, std::back_inserter(acceptance.results));
    std::ranges::move(judged.classes, std::back_inserter(acceptance.classes));
    if (rule.of != LimitOf::kDatasheet) add_unmeasured(rule, nodes, acceptance.results);
  }
  add_unmeasured_devices(rules, acceptance.results);
  judge_nodes(acceptance, nodes, expected);
  acceptance.notes = notes_of(acceptance, reports, without_datasheet);
  for (const CheckResult& result : acceptance.results) {
    acceptance.outcome = std::max(acceptance.outcome, result.outcome);
  }
  acceptance.exit_code = exit_code(acceptance.outcome);
  return acceptance;
}

}  // namespace scalemark::acceptance
