// How reports ended: as they should, by a fault, or before all runs that were planned were made.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/inventory.h"
#include "report/record/finding_kinds.h"

namespace scalemark::acceptance {
namespace {

using reporting::Report;
using reporting::ReportStatus;

// So many runs of a report's plan were not made.
struct Unmade {
  std::int64_t runs = 0, planned = 0;

  std::string text() const {
    return std::to_string(runs) + " of " + counted(planned, "run") + " were not made";
  }
};

// The last session plans what is left of all. Reports of older versions do not know it.
std::optional<Unmade> unmade_runs(const Report& report) {
  if (report.sessions.empty() || !report.sessions.back().planned_runs) return std::nullopt;
  const std::int64_t planned = *report.sessions.back().planned_runs;
  const auto made = std::ranges::count_if(report.points, [](const reporting::PointRecord& run) {
    return run.status != reporting::PointStatus::kSkipped;
  });
  if (made >= planned) return std::nullopt;
  return Unmade{planned - made, planned};
}

bool came_to_no_end(const Report& report) {
  return !report.exit_code || report.status == ReportStatus::kPartial;
}

// Says why a stage ended before its runs; empty: an error that its report names, or none.
std::string what_stopped(const Report& report) {
  if (came_to_no_end(report)) return "it did not come to its end";
  if (report.status == ReportStatus::kInterrupted) return "it was interrupted";
  return report.status == ReportStatus::kComplete ? "--max-time ended" : "";
}

// The way in which a report ended gives its node this outcome.
struct End {
  Outcome outcome = Outcome::kPassed;
  std::string why;
  bool stopped = false;
};

End end_of(const Report& report) {
  const auto unmade = unmade_runs(report);
  const std::string stop = what_stopped(report);
  const std::string lacking = unmade ? unmade->text() + " (" + stop + ")" : "";
  if (came_to_no_end(report)) {
    return {Outcome::kMissing, unmade ? lacking : "its run did not come to its end"};
  }
  const auto code = static_cast<ExitCode>(*report.exit_code);
  if (report.status == ReportStatus::kInterrupted) {
    return {Outcome::kMissing, unmade ? lacking : "its run was interrupted", /*stopped=*/true};
  }
  if (code == ExitCode::kPass || code == ExitCode::kFail || code == ExitCode::kUnsure) {
    if (!unmade || stop.empty()) return {};
    return {Outcome::kUnsure, lacking, /*stopped=*/true};
  }
  const std::string exit = "its run ended with exit code " + std::to_string(*report.exit_code);
  const std::string why = report.errors.empty() ? exit : exit + ": " + report.errors.back().what;
  const bool by_hardware = code == ExitCode::kSilentCorruption || code == ExitCode::kGpuFault;
  return {by_hardware ? Outcome::kFailed : Outcome::kMissing, why};
}

// Wrong bits end a sweep with 83: the check of bits names the device. They excuse no other end.
bool is_reported_by_check(const Report& report, const Rules& rules) {
  return report.exit_code == static_cast<int>(ExitCode::kSilentCorruption) &&
         std::ranges::any_of(rules.checks,
                             [](const Rule& rule) { return rule.metric == Metric::kWrongBits; }) &&
         std::ranges::any_of(report.findings, [](const reporting::Finding& finding) {
           return finding.code == reporting::finding_kinds::wrong_bits.code;
         });
}

// Returns the host of the rank that an error is about. Rank 0 writes the report: its own record may
// quote the line of another rank that ended, "rank 9 ended: E_GPU_FAULT (exit 84) rank=9 host=n1
// ...", and of a rank that was lost or killed it may not know the host.
std::string failed_host(const ErrorRecord& error) {
  constexpr std::string_view kHost = " host=";
  if (error.rank.value_or(0) != 0) return error.host;
  if (error.code == kPeerLostCode || error.code == kRankKilledCode) return "";
  if (!error.what.starts_with("rank ") || error.what.find(" ended: ") == std::string::npos)
    return error.host;
  const auto at = error.what.find(kHost);
  if (at == std::string::npos) return "";
  const std::string rest = error.what.substr(at + kHost.size());
  return rest.substr(0, rest.find_first_of(" :"));
}

// Returns the node that a report over several nodes blames for its end, or else the fleet.
Part blamed_part(const NamedReport& one, const std::vector<Part>& nodes) {
  if (nodes.size() == 1) return nodes.front();
  Part part = of_fleet(kReportCheck, Outcome::kPassed, "").part;
  if (one.report.errors.empty()) return part;
  const auto named = std::ranges::find(nodes, failed_host(one.report.errors.back()), &Part::host);
  return named == nodes.end() ? part : *named;
}

// "acc/fleet, on node000, node001 and 62 more: its run ended with exit code 83"
std::string why_of_several(const NamedReport& one, const std::vector<Part>& nodes,
                           const std::string& why) {
  std::vector<std::string> names;
  for (const Part& node : nodes) names.push_back(node.host);
  return one.name + ", on " + listed(names, 2) + ": " + why;
}

// Equal for the sessions of one stage on the same nodes.
std::string stage_key(const Report& report, const std::vector<Part>& parts) {
  std::string key = report.invocation.command;
  for (const Part& part : parts) key += "\n" + part.host;
  return key;
}

std::string stage_name(const Report& report) {
  if (reporting::measures_collectives(report)) return "links stage";
  return report.environment.hosts.size() > 1 ? "fleet stage" : "node stage";
}

}  // namespace

void add_ends(std::span<const NamedReport> reports, const Rules& rules,
              std::vector<CheckResult>& results) {
  std::map<std::string, CheckResult> last;
  for (const NamedReport& one : reports) {
    const Report& report = one.report;
    const auto parts = node_parts(report);
    const End end = is_reported_by_check(report, rules) ? End() : end_of(report);
    CheckResult result = of_fleet(kReportCheck, end.outcome, end.why);
    if (end.outcome != Outcome::kPassed && parts.size() > 1) {
      result.why = why_of_several(one, parts, end.why);
    }
    result.part = blamed_part(one, parts);
    if (end.stopped) result.stopped = true;
    const std::string key = stage_key(report, parts);
    const auto known = last.find(key);
    // Silent corruption is no bad luck that a second try takes away, and a session that was whole
    // stays so when a later one is stopped.
    if (known != last.end() && (known->second.outcome == Outcome::kFailed ||
                                (end.stopped && known->second.outcome == Outcome::kPassed))) {
      continue;
    }
    last[key] = std::move(result);
  }
  for (auto& [key, result] : last) results.push_back(std::move(result));
}

std::vector<std::string> stages_stopped_early(std::span<const NamedReport> reports) {
  std::map<std::string, const Report*> last;
  for (const NamedReport& one : reports) {
    last[stage_key(one.report, node_parts(one.report))] = &one.report;
  }
  struct Stop {
    Unmade most;
    bool differ = false;
    std::set<std::string> nodes;
  };
  std::map<std::pair<std::string, std::string>, Stop> stops;  // by stage and reason
  for (const auto& [key, report] : last) {
    const auto unmade = unmade_runs(*report);
    const std::string why = what_stopped(*report);
    if (!unmade || why.empty()) continue;
    Stop& stop = stops[{stage_name(*report), why}];
    stop.differ = stop.differ || (!stop.nodes.empty() && unmade->text() != stop.most.text());
    if (unmade->runs > stop.most.runs) stop.most = *unmade;
    for (const Part& part : node_parts(*report)) stop.nodes.insert(scheduler_name(part));
  }
  std::vector<std::string> texts;
  for (const auto& [what, stop] : stops) {
    texts.push_back(what.first + ": " + (stop.differ ? "up to " : "") + stop.most.text() + " on " +
                    nodes_text({stop.nodes.begin(), stop.nodes.end()}) + " (" + what.second + ")");
  }
  return texts;
}

}  // namespace scalemark::acceptance
