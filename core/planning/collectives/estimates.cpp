#include "core/planning/collectives/estimates.h"

#include <algorithm>

#include "core/catalogue/backends.h"
#include "core/collectives/bandwidth.h"

namespace scalemark::planning {
namespace {

// Work that runs beside a collective takes its share of the machine.
constexpr double kBesideOthers = 2;

// 30 round trips, and messages for 0.15 s at most.
constexpr double kPairRound_s = 0.2;

double start_s(settings::DeviceKind device) { return device == settings::DeviceKind::kCpu ? 1 : 8; }

}  // namespace

double estimated_call_s(const CollectivePoint& point) {
  const catalogue::Backend* known = catalogue::find_backend(point.backend);
  const catalogue::Backend backend = known ? *known : catalogue::Backend{};
  const double factor = collectives::bus_factor(point.collective, point.world_size).value_or(0);
  const double alone =
      backend.latency_s + factor * static_cast<double>(point.bytes()) / backend.bytes_per_s;
  return alone * (point.overlap_compute || point.congestion ? kBesideOthers : 1);
}

double estimated_s(const CollectivePlan& plan) {
  if (plan.pairs) {
    return start_s(plan.device) + kGroupSetup_s +
           kPairRound_s * plan.pairs->passes * plan.pairs->pass.rounds;
  }
  double block = 0;
  for (const CollectiveBatch& batch : batches_of_block(plan, 0)) {
    block += kGroupSetup_s;
    for (const std::size_t point : batch.points) {
      block += std::max(kLeastCollectiveRun_s, kFewestCalls * estimated_call_s(plan.points[point]));
    }
  }
  return start_s(plan.device) + plan.repetitions * block;
}

}  // namespace scalemark::planning
