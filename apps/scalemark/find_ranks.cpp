#include <algorithm>
#include <string>

#include "apps/scalemark/rank_command.h"
#include "core/launching/detect.h"
#include "core/settings/option.h"
#include "core/settings/processes.h"
#include "core/settings/resolve.h"

namespace scalemark::cli {
namespace {

using Problems = std::vector<settings::Problem>;

settings::RankCount ranks_of(const launching::Detection& detection) {
  if (detection.node) {
    const launching::NodePlan& plan = *detection.node;
    return {.world_size = plan.nproc_per_node * plan.nnodes,
            .local_world_size = plan.nproc_per_node};
  }
  return {.world_size = detection.world.world_size,
          .local_world_size = detection.world.local_world_size};
}

// Whether it makes sense to look for a launcher although there are problems.
bool launch_options_are_good(const Problems& problems) {
  return std::ranges::none_of(problems, [](const settings::Problem& problem) {
    const settings::Option* option = settings::find_option(problem.option);
    return option && option->group == settings::Group::kLaunch;
  });
}

launching::Detection detect(settings::Settings settings, const settings::Machine& machine) {
  settings.launch = settings::launch_of(settings);
  launching::Request request = launching::make_request(settings);
  // A plan may be for a machine with GPUs although this one has none.
  request.auto_nproc_per_node =
      std::max(request.auto_nproc_per_node, static_cast<int>(machine.gpus.size()));
  return launching::detect(request);
}

}  // namespace

bool take_nodes_of_pod(const RankCommand::FirstLook& look, const settings::Surroundings& around,
                       settings::RawSettings& raw) {
  const settings::Resolution first = settings::resolve(look.values, around);
  if (!launch_options_are_good(first.problems)) return false;
  const auto nodes = launching::nodes_of_pod(detect(first.settings, around.machine));
  if (!nodes || *nodes == first.settings.launch.nnodes) return false;
  raw["nnodes"] = {std::to_string(*nodes), "environment"};
  return true;
}

bool find_ranks(const RankCommand::FirstLook& look, const settings::Surroundings& around,
                ResolvedCommand& base, Problems& problems) {
  const settings::Resolution first = settings::resolve(look.values, around);
  base.settings = first.settings;
  const bool asks_launchers = launch_options_are_good(first.problems);
  if (asks_launchers) {
    base.detection = detect(first.settings, around.machine);
    if (base.detection.problems.empty()) {
      base.ranks = ranks_of(base.detection);
      return true;
    }
  }
  if (look.all || !asks_launchers) add_problems(problems, first.problems);
  return false;
}

}  // namespace scalemark::cli
