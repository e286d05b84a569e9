#include "engine/running/training_ranks.h"

#include <string>

#include "core/base/error.h"
#include "core/settings/processes.h"

namespace scalemark::running {

TrainingRanks training_ranks_of(const settings::Settings& settings, const launching::World& group) {
  const settings::Processes processes = settings::process_kind_of(settings.parallel);
  const int world_size = settings::world_size_of(settings);
  if (settings::process_count(processes, world_size) != group.world_size) {
    throw bug(std::to_string(group.world_size) + " processes for " + std::to_string(world_size) +
              " training ranks");
  }
  if (processes.count == catalogue::ProcessCount::kOne) {
    return {.first = 0, .count = world_size, .world_size = world_size};
  }
  return {.first = group.rank, .count = group.rank < world_size ? 1 : 0, .world_size = world_size};
}

}  // namespace scalemark::running
