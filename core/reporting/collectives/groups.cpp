#include "core/reporting/collectives/runs.h"

namespace scalemark::reporting {
namespace {

CollectiveGroup identity_of(const CollectiveRecord& run) {
  return {.group = run.group,
          .collective = run.collective,
          .backend = run.backend,
          .via = run.via,
          .dtype = run.dtype,
          .device = run.device,
          .staging = run.staging,
          .bytes = run.bytes,
          .world_size = run.world_size,
          .nodes = run.nodes,
          .placement = run.placement,
          .in_place = run.in_place,
          .overlap_compute = run.overlap_compute,
          .congestion = run.congestion,
          .expected_source = run.expected_source};
}

// A quantile of isolated calls.
OverRuns latency_of(const CollectivePoint& point, std::optional<double> (*of)(const Latency&)) {
  return over_runs(point, [of](const CollectiveRecord& run) {
    return run.latency_s ? of(*run.latency_s) : std::nullopt;
  });
}

void set_latencies(CollectiveGroup& group, const CollectivePoint& point) {
  using Quantile = std::optional<double>;
  group.latency_p50_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p50; });
  group.latency_p95_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p95; });
  group.latency_p99_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p99; });
}

void set_expected(CollectiveGroup& group, const CollectiveRecord& run) {
  group.expected_busbw_GBps = run.expected_busbw_GBps;
  if (!group.expected_busbw_GBps || !(*group.expected_busbw_GBps > 0)) return;
  const auto share = [&](const std::optional<double>& busbw) {
    return busbw ? std::optional(*busbw / *group.expected_busbw_GBps) : std::nullopt;
  };
  group.expected_share = {
      .value = share(group.busbw_GBps.value),
      .ci95 = {share(group.busbw_GBps.ci95.low), share(group.busbw_GBps.ci95.high)}};
}

void count_runs(CollectiveGroup& group, const CollectivePoint& point) {
  group.n = static_cast<int>(point.ok.size());
  for (const CollectiveRecord* run : point.all) {
    ++group.status_counts[std::string(name_of(run->status))];
    if (run->wrong) group.wrong = group.wrong.value_or(0) + *run->wrong;
  }
}

CollectiveGroup group_of(const CollectivePoint& point) {
  const CollectiveRecord& example = point.ok.empty() ? point.first() : *point.ok.front();
  CollectiveGroup group = identity_of(example);
  count_runs(group, point);
  group.time_s = over_runs(point, [](const auto& run) { return std::optional(run.time_s); });
  group.algbw_GBps = over_runs(point, [](const auto& run) { return run.algbw_GBps; });
  group.busbw_GBps = over_runs(point, [](const auto& run) { return run.busbw_GBps; });
  set_latencies(group, point);
  set_expected(group, example);
  return group;
}

}  // namespace

std::vector<CollectiveGroup> collective_groups_of(const CollectiveRuns& points) {
  std::vector<CollectiveGroup> groups;
  for (const CollectivePoint& point : points) groups.push_back(group_of(point));
  return groups;
}

}  // namespace scalemark::reporting
