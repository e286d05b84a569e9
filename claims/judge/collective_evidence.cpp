// Finds latency and bandwidth of collectives in reports of `comm`.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "claims/judge/evidence.h"
#include "core/collectives/collective.h"

namespace scalemark::claims {
namespace {

using published::Row;
using reporting::CollectiveGroup;
using reporting::OverRuns;
using reporting::Report;

const OverRuns& value_of(const CollectiveGroup& group, const std::string& metric) {
  if (metric == "latency_s") return group.latency_p50_s;
  return metric == "busbw_GBps" ? group.busbw_GBps : group.algbw_GBps;
}

// Whether the group has the dtype, via and in_place (options of `comm`) that the row names.
bool meets(const CollectiveGroup& group, const Row& row) {
  return std::ranges::all_of(row.conditions, [&](const auto& condition) {
    const auto& [option, value] = condition;
    if (option == "in_place") return group.in_place == (value == "on");
    if (option == "dtypes") return name_of(group.dtype) == value;
    return option != "via" || name_of(group.via) == value;
  });
}

// One side of a comparison.
struct Side {
  std::string backend;  // empty: any
  bool congestion = false;
};

Side side_of(const Row& row, const std::optional<std::string>& value) {
  const std::string backend = row.backend.value_or("");
  if (row.relative_to->option == "congestion") return {backend, value == "on"};
  return {value.value_or(backend)};
}

// Finds the group with the row's number of GPUs that fits; for a ratio, where there is none, that
// with the most ranks. Unless the row names a size, latency is taken at the smallest one and
// bandwidth at the largest. `like` may be null; otherwise only groups with its size, ranks, nodes,
// dtype, via and in_place fit, and unless backends are compared, with its backend.
const CollectiveGroup* best_group(const Report& report, const Row& row, const Side& side,
                                  const CollectiveGroup* like) {
  const CollectiveGroup* best = nullptr;
  const bool small = row.metric == "latency_s";
  const bool between_backends = row.relative_to && row.relative_to->option == "backend";
  const auto ranks_of = [&](const CollectiveGroup& group) {
    return group.world_size == row.gpus ? INT64_MAX : std::int64_t{group.world_size};
  };
  for (const CollectiveGroup& group : report.collective_groups) {
    const bool is_it =
        std::string(name_of(group.collective)) == row.collective.value_or("all-reduce") &&
        (side.backend.empty() || group.backend == side.backend) &&
        (!row.bytes || group.bytes == *row.bytes) &&
        (!row.gpus || row.relative_to || group.world_size == *row.gpus) &&
        value_of(group, row.metric).value;
    if (!is_it || !meets(group, row) || group.overlap_compute ||
        group.congestion != side.congestion || group.wrong.value_or(0) > 0)
      continue;
    const bool alike =
        !like ||
        (group.bytes == like->bytes && group.world_size == like->world_size &&
         group.nodes == like->nodes && group.dtype == like->dtype && group.via == like->via &&
         group.in_place == like->in_place && (between_backends || group.backend == like->backend));
    if (!alike) continue;
    const bool better = !best || ranks_of(group) > ranks_of(*best) ||
                        (group.world_size == best->world_size &&
                         (small ? group.bytes < best->bytes : group.bytes > best->bytes));
    if (better) best = &group;
  }
  return best;
}

// Fewer repetitions, and backends that are not here, leave a collective what it is; messages that
// are left out are the largest, at which no latency is taken.
bool is_smaller(const Report& report, const std::string& metric) {
  return std::ranges::any_of(report.scaled_down, [&](const auto& change) {
    return change.option != "repetitions" && change.option != "backend" &&
           (change.option != "sizes" || metric != "latency_s");
  });
}

Measured of_group(const Report& report, const CollectiveGroup& group, const std::string& metric) {
  const OverRuns& found = value_of(group, metric);
  Measured measured{.value = *found.value,
                    .low = found.ci95.low,
                    .high = found.ci95.high,
                    .runs = group.n,
                    .groups = {group.group}};
  measured.device_name = group.device;
  measured.world_size = group.world_size;
  measured.nodes = group.nodes;
  measured.scaled_down = is_smaller(report, metric);
  return measured;
}

}  // namespace

std::optional<Measured> collective_of(Reports reports, const Row& row) {
  for (const Report& report : reports) {
    if (!row.relative_to) {
      if (const auto* group = best_group(report, row, {row.backend.value_or("")}, nullptr))
        return of_group(report, *group, row.metric);
      continue;
    }
    const published::Relative& relative = *row.relative_to;
    if (relative.option != "backend" && relative.option != "congestion") continue;
    const auto* to = best_group(report, row, side_of(row, relative.to), nullptr);
    const auto* from = to ? best_group(report, row, side_of(row, relative.from), to) : nullptr;
    if (!to || !from) continue;
    Measured above = of_group(report, *to, row.metric);
    const Measured below = of_group(report, *from, row.metric);
    above.value /= below.value;
    set_interval(above, {std::exchange(above.low, {}), std::exchange(above.high, {})},
                 {below.low, below.high});
    above.groups.insert(above.groups.begin(), below.groups.front());
    return above;
  }
  return std::nullopt;
}

}  // namespace scalemark::claims
