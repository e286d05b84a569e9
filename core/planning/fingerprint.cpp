#include "core/planning/fingerprint.h"

#include <set>

#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/planning/estimates.h"

namespace scalemark::planning {
namespace {

// All gradients; 0: nothing is exchanged.
double payload_of(const PlannedPoint& point) {
  const settings::Settings& settings = point.settings;
  const auto* workload = catalogue::find_workload(settings.task.workload);
  const auto* strategy = catalogue::find_strategy(settings.parallel.strategy);
  const bool alone = point.skipped || point.processes < 2;
  if (alone || !workload || !strategy || !strategy->exchanges) return 0;
  return sizeof(float) * static_cast<double>(workload->parameters(shape_of(*workload, settings)));
}

}  // namespace

PlannedExchange exchange_of(const Plan& plan) {
  PlannedExchange exchange;
  if (plan.world_size < 2) {
    exchange.reason = "one rank has no peer";
    return exchange;
  }
  int most_ranks = 0;
  for (const PlannedPoint& point : plan.points) {
    const double payload = payload_of(point);
    if (payload <= 0 || point.world_size <= most_ranks) continue;
    most_ranks = point.world_size;
    exchange.backend = point.settings.parallel.backend;
    exchange.bytes = static_cast<std::int64_t>(payload);
  }
  if (most_ranks == 0) exchange.reason = "no point of the sweep exchanges gradients";
  return exchange;
}

bool devices_take_turns(const Plan& plan) {
  return plan.points.front().settings.parallel.device == settings::DeviceKind::kCpu;
}

std::vector<int> threads_of(const Plan& plan) {
  std::set<int> threads;
  for (const PlannedPoint& point : plan.points) {
    if (!point.skipped) threads.insert(point.settings.parallel.threads);
  }
  if (threads.empty()) threads.insert(1);
  return {threads.begin(), threads.end()};
}

}  // namespace scalemark::planning
