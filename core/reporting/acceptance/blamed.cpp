// Findings that blame a part, bits, and links: values that need no repetition.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/reporting/acceptance/inventory.h"
#include "core/reporting/point/replays.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"

namespace scalemark::acceptance {
namespace {

using reporting::Finding;
using reporting::PointRecord;
using reporting::PointStatus;
using reporting::RankRecord;
using reporting::ReplayRecord;
using reporting::Report;

bool names(const Rule& rule, const Finding& finding) {
  const std::string_view code = finding.code;
  return code == row_of(rule.metric).name ||
         (rule.metric == Metric::kStraggler &&
          code == reporting::finding_kinds::straggler_intermittent.code);
}

bool is_blamed(const Part& part, const Finding& finding) {
  if (!finding.place) return false;
  const auto& place = *finding.place;
  if (part.kind == PartKind::kLink) return place.link == part.name();
  if (place.host != part.host) return false;
  return part.kind == PartKind::kNode || !place.rank || place.rank == part.rank;
}

// The parts that a report could have blamed by the findings of a metric.
std::vector<Part> parts_at_risk(Metric metric, const Report& report) {
  std::vector<Part> parts;
  if (metric == Metric::kSlowNode || metric == Metric::kSlowLink) {
    if (!reporting::measures_collectives(report) || report.links.empty()) return {};
    if (metric == Metric::kSlowNode) return node_parts(report);
    for (auto& [part, link] : link_parts(report)) parts.push_back(std::move(part));
    return parts;
  }
  if (metric == Metric::kWrongElements) {
    const bool checked = std::ranges::any_of(report.collectives,
                                             [](const auto& run) { return run.wrong.has_value(); });
    return checked ? node_parts(report) : parts;
  }
  std::set<std::string> known;
  for (const PointRecord& run : report.points) {
    if (run.status != PointStatus::kOk || !reporting::has_exchange(run)) continue;
    for (const RankRecord& rank : run.ranks) {
      Part part = device_part(report, run, rank);
      if (known.insert(part.key()).second) parts.push_back(std::move(part));
    }
  }
  return parts;
}

Series& series_of_part(std::vector<Series>& all, Part part) {
  const auto found = std::ranges::find_if(
      all, [&](const Series& known) { return known.part.key() == part.key(); });
  if (found != all.end()) return *found;
  all.emplace_back().part = std::move(part);
  return all.back();
}

}  // namespace

void read_findings(const Rule& rule, const Report& report, std::vector<Series>& all) {
  for (Part& part : parts_at_risk(rule.metric, report)) {
    Start start;
    start.value = 0;
    for (const Finding& finding : report.findings) {
      if (!names(rule, finding) || !is_blamed(part, finding)) continue;
      ++start.value;
      start.fact = finding.text;
    }
    series_of_part(all, std::move(part)).starts.push_back(std::move(start));
  }
}

std::vector<Series> read_replays(std::span<const NamedReport> reports) {
  std::vector<const ReplayRecord*> replays;
  std::map<const ReplayRecord*, const Report*> reports_of;
  for (const NamedReport& one : reports) {
    for (const ReplayRecord& replay : one.report.replays) {
      replays.push_back(&replay);
      reports_of[&replay] = &one.report;
    }
  }
  std::vector<Series> all;
  for (const reporting::JudgedReplay& judged : reporting::judge_replays(replays)) {
    const Report& report = *reports_of[judged.replay];
    Start start;
    start.value = judged.verdict == reporting::BitsVerdict::kSame ? 0 : 1;
    if (judged.verdict == reporting::BitsVerdict::kDiffer) start.value = std::nan("");
    start.fact = judged.why;
    series_of_part(
        all, measured_part(report, judged.replay->host, judged.replay->device, judged.replay->rank))
        .starts.push_back(std::move(start));
  }
  return all;
}

void read_links(const Report& report, std::vector<Series>& all) {
  for (const auto& [part, link] : link_parts(report)) {
    if (!(link->bandwidth_GBps > 0) || !std::isfinite(link->bandwidth_GBps)) continue;
    Start start;
    start.value = link->bandwidth_GBps;
    std::tie(start.low, start.high) = std::tie(link->bandwidth_ci95.low, link->bandwidth_ci95.high);
    series_of_part(all, part).starts.push_back(start);
  }
}

}  // namespace scalemark::acceptance
