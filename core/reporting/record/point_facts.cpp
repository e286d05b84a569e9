#include "core/reporting/record/point_facts.h"

#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"

namespace scalemark::reporting {

std::optional<double> counted_data_wait_s(const PointRecord& point) {
  double wait_s = 0;
  for (const RankRecord& rank : point.ranks) {
    if (!rank.data_wait_s) return std::nullopt;
    wait_s += *rank.data_wait_s / static_cast<double>(point.ranks.size());
  }
  return wait_s;
}

std::optional<double> step_time_s(const PointRecord& point) {
  if (point.iterations <= 0 || !(point.wall_s > 0)) return std::nullopt;
  return point.wall_s / static_cast<double>(point.iterations);
}

std::optional<double> within_run_share(const PointRecord& point) {
  if (!point.within_run_ci95_low || !point.within_run_ci95_high) return std::nullopt;
  return (*point.within_run_ci95_high - *point.within_run_ci95_low) / 2 / point.samples_per_sec;
}

int ranks_per_process(const PointRecord& point) {
  return point.processes == 1 ? point.world_size : 1;
}

bool has_exchange(const PointRecord& point) {
  // A server is a peer, too, and so are replicas in one process.
  const bool has_peers =
      point.ranks.size() > 1 || point.processes > 1 || ranks_per_process(point) > 1;
  return has_peers && catalogue::exchanges(point.strategy);
}

bool skips_exchanges(const PointRecord& point) {
  return has_exchange(point) && !catalogue::exchanges_in_every_step(point.strategy);
}

std::string sample_unit(const std::string& workload) {
  const auto* known = catalogue::find_workload(workload);
  return known ? known->sample_unit : "samples";
}

}  // namespace scalemark::reporting
