// Which ranks run which points of `comm`, and in which order.
#include <map>
#include <utility>

#include "core/planning/collectives/collective_plan.h"
#include "core/planning/plan.h"
#include "core/planning/shuffle.h"

namespace scalemark::planning {

std::vector<CollectiveBatch> batches_of_block(const CollectivePlan& plan, int k) {
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> known;
  std::vector<CollectiveBatch> batches;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const CollectivePoint& point = plan.points[i];
    if (point.skipped) continue;
    const auto [place, is_new] = known.try_emplace({point.backend, point.members}, batches.size());
    if (is_new) {
      batches.push_back({.name = "block" + std::to_string(k) + "-" + point.backend + "-" +
                                 std::to_string(batches.size()),
                         .backend = point.backend,
                         .members = point.members,
                         .repetition = k,
                         .points = {}});
    }
    batches[place->second].points.push_back(i);
  }
  std::mt19937_64 random(plan.seed + static_cast<std::uint64_t>(k));
  shuffle(batches, random);
  for (CollectiveBatch& batch : batches) shuffle(batch.points, random);
  return batches;
}

void assign_members(CollectivePlan& plan, const std::vector<int>& node_of_rank) {
  for (CollectivePoint& point : plan.points) {
    point.members = members(point.world_size, node_of_rank, point.placement);
  }
}

std::string run_id(const CollectivePoint& point, int repetition) {
  return point.group + "/r" + std::to_string(repetition);
}

}  // namespace scalemark::planning
