#include "core/settings/binding.h"

#include <algorithm>
#include <string>

#include "core/base/words.h"

namespace scalemark::settings {

placement::Answer place_ranks(const Machine& machine, placement::Bind bind, DeviceKind device,
                              int local_world_size) {
  placement::Question question{.bind = bind, .ranks = local_world_size};
  if (device == DeviceKind::kCuda) {
    for (const Gpu& gpu : machine.gpus) question.gpu_nodes.push_back(gpu.memory_node);
  }
  return placement::places_of_ranks(machine.topology, question);
}

int threads_per_rank(const Machine& machine, placement::Bind bind, DeviceKind device,
                     int local_world_size, int computing) {
  const int share = machine.cores / std::max(1, computing);
  const auto fitting =
      placement::threads_that_fit(place_ranks(machine, bind, device, local_world_size).places);
  return std::max(1, std::min(share, fitting.value_or(share)));
}

std::optional<Problem> impossible_binding(const Settings& settings, const Machine& machine,
                                          const RankCount& ranks) {
  const placement::Bind bind = settings.parallel.bind;
  const auto answer = place_ranks(machine, bind, settings.parallel.device, ranks.local_world_size);
  if (answer.problem.empty()) return std::nullopt;
  return Problem{.option = "bind",
                 .found = std::string(name_of(bind)),
                 .allowed = answer.problem,
                 .origin = value_at(settings.origins, "bind"),
                 .hint =
                     "leave --bind out; where a launcher has bound the ranks already, start "
                     "them unbound (mpirun --bind-to none, srun --cpu-bind=none)"};
}

}  // namespace scalemark::settings
