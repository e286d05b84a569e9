#include "engine/communicating/comm_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/output/disk.h"
#include "core/reporting/point/disturbances.h"
#include "core/reporting/point/telemetry.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/runs.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::communicating {
namespace {

int nodes_of(const std::vector<int>& members, const std::vector<int>& node_of_rank) {
  std::set<int> nodes;
  for (const int member : members) nodes.insert(node_of_rank.at(static_cast<std::size_t>(member)));
  return static_cast<int>(nodes.size());
}

}  // namespace

reporting::CollectiveRecord CommReport::identity_of(const planning::CollectivePoint& point,
                                                    int repetition,
                                                    const std::string& started) const {
  reporting::CollectiveRecord row{{.collective = point.collective,
                                   .backend = point.backend,
                                   .via = point.via,
                                   .dtype = point.dtype,
                                   .device = std::string(name_of(plan_.device)),
                                   .bytes = point.bytes(),
                                   .world_size = point.world_size,
                                   .placement = std::string(name_of(point.placement)),
                                   .in_place = point.in_place,
                                   .overlap_compute = point.overlap_compute,
                                   .congestion = point.congestion},
                                  planning::run_id(point, repetition),
                                  point.group,
                                  repetition,
                                  /*order=*/0,
                                  started,
                                  point.members};
  if (point.skipped) return row;
  row.nodes = nodes_of(point.members, machines_.node_of_rank);
  const auto path = data_path(point, plan_.device, machines_);
  if (path.host_staging) row.staging = collectives::Staging::kHost;
  if (const auto expected = collectives::expected_busbw(point.collective, path)) {
    row.expected_busbw_GBps = expected->busbw_GBps;
    row.expected_source = expected->source;
  }
  return row;
}

reporting::CollectiveRecord CommReport::row_of(const planning::CollectivePoint& point,
                                               int repetition, const std::string& started,
                                               const CollectiveOutcome& outcome) const {
  auto row = identity_of(point, repetition, started);
  if (!outcome.skipped.empty()) {
    row.status = reporting::PointStatus::kSkipped;
    row.reason = outcome.skipped;
    return row;
  }
  row = reporting::assemble_collective(std::move(row), outcome.ranks, outcome.slowest_s);
  row.disturbed = reporting::in_words(
      run_report_.disturbances_of(reporting::telemetry_of(row.id, outcome.readings)));
  return row;
}

void CommReport::add(reporting::CollectiveRecord row, const CollectiveOutcome& outcome) {
  auto findings = reporting::findings_of_collective(row);
  auto telemetry = reporting::telemetry_of(row.id, outcome.readings);
  // A second attempt would be as brief: it is not made, and the run counts towards no verdict.
  if (row.status == reporting::PointStatus::kOk && row.disturbed.empty()) {
    auto doubts = reporting::doubts_of(telemetry, machines_.hosts);
    std::erase_if(doubts, [](const auto& doubt) { return !reporting::disturbs(doubt.code); });
    row.disturbed = reporting::in_words(doubts);
  }
  run_report_.writer()->add_collective(std::move(row), std::move(findings), std::move(telemetry));
}

void CommReport::add(const MeasuredPairs& measured) {
  auto judged = reporting::judge_pairs(measured.pairs, measured.ends, measured.between_nodes);
  run_report_.writer()->add_links(std::move(judged.links), std::move(judged.findings));
}

void CommReport::tell_disturbed_bound() {
  const bool any = std::ranges::any_of(plan_.points, [&](const auto& point) {
    return !point.skipped && passes_memory(data_path(point, plan_.device, machines_));
  });
  if (machines_.memory_disturbed.empty() || !any) return;
  run_report_.writer()->add_finding(reporting::make_finding(
      reporting::finding_kinds::bound_disturbed, "",
      {{"memory", machines_.memory_GBps.value_or(0)}, {"disturbed", machines_.memory_disturbed}}));
}

void CommReport::add_skipped_points() {
  for (const auto& point : plan_.points) {
    if (!point.skipped) continue;
    const CollectiveOutcome outcome{.skipped = *point.skipped};
    add(row_of(point, 0, reporting::utc_now(), outcome), outcome);
  }
}

void CommReport::summarise() {
  run_report_.writer()->amend(
      [](reporting::Report& report) { reporting::summarise_collectives(report); });
}

reporting::RunEnd CommReport::close() {
  summarise();
  return run_report_.close(reporting::ReportStatus::kComplete,
                           reporting::end_of_collectives(report()),
                           process::RunReport::Renderings::kWritten);
}

}  // namespace scalemark::communicating
