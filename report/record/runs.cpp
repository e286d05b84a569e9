#include "report/record/runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/catalogue/backends.h"
#include "core/plan/order.h"
#include "report/record/finding_kinds.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

auto reading_order(const PointRecord& p) {
  return std::tuple_cat(
      std::tie(p.workload, p.task, p.precision, p.data, p.image_size, p.sequence_length,
               p.batch_size, p.gradient_accumulation_steps, p.world_size, p.strategy),
      std::tuple(planning::sorting_key(p.group)));
}

auto reading_order(const CollectiveRecord& run) {
  const auto names = catalogue::backend_names();
  const auto place = std::ranges::find(names, run.backend) - names.begin();
  return std::tuple(run.collective, run.dtype, run.world_size, run.placement, run.congestion,
                    run.overlap_compute, place, run.backend, run.via, !run.in_place, run.bytes,
                    run.group);
}

bool has_rate(const PointRecord& run) { return run.samples_per_sec > 0; }
bool has_rate(const CollectiveRecord& run) { return run.time_s > 0 && std::isfinite(run.time_s); }

}  // namespace

RunCounts counts_of(const Report& report) {
  RunCounts counts;
  const auto add = [&](const auto& runs) {
    for (const auto& run : runs) {
      counts.ok += run.status == PointStatus::kOk;
      counts.oom += run.status == PointStatus::kOom;
      counts.failed += run.status == PointStatus::kFailed;
      counts.skipped += run.status == PointStatus::kSkipped;
    }
  };
  add(report.points);
  add(report.collectives);
  return counts;
}

RunsOfPoints runs_of_points(const Report& report) {
  RunsOfPoints runs;
  const auto add = [&](const auto& groups) {
    for (const auto& group : groups) {
      if (group.n == 0) continue;
      runs.fewest = runs.fewest == 0 ? group.n : std::min(runs.fewest, group.n);
      runs.most = std::max(runs.most, group.n);
    }
  };
  add(report.groups);
  add(report.collective_groups);
  return runs;
}

void Basis::add(const Basis& more) {
  runs += more.runs;
  disturbed += more.disturbed;
  brief += more.brief;
  by_clocks += more.by_clocks;
  parts_are_ground = parts_are_ground && more.is_ground();
  most_severe = more_severe(most_severe, more.most_severe);
}

void Basis::add(Disturbance found) {
  ++runs;
  if (!found) return;
  most_severe = more_severe(most_severe, found);
  brief += is_brief(*found);
  disturbed += !is_brief(*found);
  by_clocks += found->code == std::string_view(finding_kinds::clocks_disagree.code);
}

FitOfRuns::FitOfRuns(const Report& report) {
  for (const Finding& finding : report.findings) {
    const Disturbance found = find_finding_kind(finding.code);
    if (!found || found->role != FindingRole::kDisturbs) continue;
    if (!finding.point.empty()) note(finding.point, found);
    if (!finding.point.empty() || !report.collectives.empty()) continue;
    for (const PointRecord& run : report.points) note(run.id, found);
  }
  for (const CollectiveRecord& run : report.collectives) {
    if (!run.disturbed.empty()) note(run.id, &disturbance_in(run.disturbed));
  }
  for (const PointRecord& run : report.points) add(run);
  for (const CollectiveRecord& run : report.collectives) add(run);
}

void FitOfRuns::note(const std::string& run, Disturbance found) {
  Disturbance& known = of_run_.try_emplace(run, found).first->second;
  known = more_severe(known, found);
}

void FitOfRuns::add(const auto& run) {
  if (run.status != PointStatus::kOk) return;
  of_group_[run.group].add(disturbance_of(run.id));
  all_.add(disturbance_of(run.id));
}

Disturbance FitOfRuns::disturbance_of(const std::string& run) const {
  return value_at(of_run_, run);
}

Basis FitOfRuns::basis_of(const std::string& group) const { return value_at(of_group_, group); }

template <class Record>
RunsOf<Record> GroupRuns<Record>::fit() const {
  return fit_decide(std::ssize(undisturbed), std::ssize(ok)) ? undisturbed : RunsOf<Record>();
}

template <class Record>
RunsByGroup<Record> runs_by_group(std::span<const Record> runs, const FitOfRuns& fit) {
  std::map<std::string, GroupRuns<Record>> by_name;
  for (const Record& run : runs) {
    GroupRuns<Record>& group = by_name[run.group];
    group.all.push_back(&run);
    if (run.status != PointStatus::kOk || !has_rate(run)) continue;
    group.ok.push_back(&run);
    if (fit.is_fit(run.id)) group.undisturbed.push_back(&run);
  }
  RunsByGroup<Record> groups;
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, [](const auto& a, const auto& b) {
    return reading_order(a.first()) < reading_order(b.first());
  });
  return groups;
}

template <class Record>
const GroupRuns<Record>& runs_of(const RunsByGroup<Record>& groups, const std::string& group) {
  static const GroupRuns<Record> kNone;
  const auto found = std::ranges::find(
      groups, group, [](const auto& one) -> const std::string& { return one.first().group; });
  return found == groups.end() ? kNone : *found;
}

std::pair<int, int> block_of(const PointRecord& run) { return {run.block, run.session}; }
std::pair<int, int> block_of(const CollectiveRecord& run) { return {run.repetition, 0}; }

double log_rate(const PointRecord& run) { return std::log(run.samples_per_sec); }
double log_rate(const CollectiveRecord& run) { return -std::log(run.time_s); }

template <class Record>
const Record* run_in(const RunsOf<Record>& runs, const std::pair<int, int>& block) {
  const auto found =
      std::ranges::find(runs, block, [](const Record* run) { return block_of(*run); });
  return found == runs.end() ? nullptr : *found;
}

template <class Record>
std::vector<RunPair<Record>> paired(const RunsOf<Record>& baseline, const RunsOf<Record>& scaled) {
  std::vector<RunPair<Record>> pairs;
  for (const Record* run : scaled) {
    if (const Record* other = run_in<Record>(baseline, block_of(*run))) {
      pairs.push_back({other, run});
    }
  }
  return pairs;
}

#define SCALEMARK_RUNS(Record)                                                               \
  template struct GroupRuns<Record>;                                                         \
  template RunsByGroup<Record> runs_by_group(std::span<const Record>, const FitOfRuns&);     \
  template const GroupRuns<Record>& runs_of(const RunsByGroup<Record>&, const std::string&); \
  template const Record* run_in<Record>(const RunsOf<Record>&, const std::pair<int, int>&);  \
  template std::vector<RunPair<Record>> paired<Record>(const RunsOf<Record>&,                \
                                                       const RunsOf<Record>&);
SCALEMARK_RUNS(PointRecord)
SCALEMARK_RUNS(CollectiveRecord)
#undef SCALEMARK_RUNS

namespace {

bool is_severity(std::string_view word) { return word == "warning" || word == "error"; }

}  // namespace

FailOn::FailOn(std::string_view text) {
  for (const std::string_view given : split(text, ",")) {
    const std::string& word = words_.emplace_back(given);
    if (word == "parts" || word == "none" || is_severity(word) || find_finding_kind(word)) continue;
    throw configuration("--fail-on: '" + word + "' is no code of a finding",
                        "parts, warning, error, none, or codes with commas between",
                        "docs/reference/REPORT.md lists the codes under \"Codes of findings\"");
  }
}

bool FailOn::names(const Finding& finding) const {
  return std::ranges::any_of(words_, [&](const std::string& word) {
    if (word == "warning") return finding.severity == "warning" || finding.severity == "error";
    if (word == "error") return finding.severity == "error";
    return word == "parts" ? blames_part(finding) : word == finding.code;
  });
}

RunEnd end_of_runs(const RunCounts& runs) {
  const std::string oom = counted(runs.oom, "run") + " out of memory";
  const std::string failed = counted(runs.failed, "run") + " failed";
  if (runs.oom > 0 && runs.ok + runs.failed == 0) {
    return {ExitCode::kOutOfMemory, "nothing fitted into memory: " + oom};
  }
  if (runs.lost() == 0) return {};
  return {ExitCode::kUnsure, "incomplete: " + (runs.failed == 0 ? oom
                                               : runs.oom == 0  ? failed
                                                                : failed + " and " + oom)};
}

RunEnd judged_end(RunEnd end, const Report& report, const FailOn& fail_on) {
  if (end.exit_code != ExitCode::kPass && end.exit_code != ExitCode::kUnsure) return end;
  const auto found = std::ranges::find_if(
      report.findings, [&](const Finding& finding) { return fail_on.names(finding); });
  if (found == report.findings.end()) return end;
  return {ExitCode::kFail, "fails because of " + found->code + ": " + found->text};
}

}  // namespace scalemark::reporting
