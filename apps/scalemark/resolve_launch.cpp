#include "apps/scalemark/resolve_launch.h"

#include <algorithm>

#include "core/monitoring/environment.h"
#include "core/settings/resolve.h"
#include "core/settings/value.h"

namespace scalemark::cli {
namespace {

std::int64_t count_in(const settings::RawSettings& raw, const char* option) {
  const auto found = raw.find(option);
  return found == raw.end()
             ? 1
             : std::max<std::int64_t>(1, settings::parse_count(found->second.text).value_or(1));
}

}  // namespace

void fill_in_ranks(settings::RawSettings& common, int wanted) {
  if (common.contains("nproc_per_node")) return;
  const std::int64_t nodes = count_in(common, "nnodes");
  common["nproc_per_node"] = {std::to_string((wanted + nodes - 1) / nodes), "default"};
}

void add_problems(std::vector<settings::Problem>& all, const std::vector<settings::Problem>& more) {
  for (const settings::Problem& problem : more) {
    const auto is_same = [&](const settings::Problem& known) {
      return settings::to_line(known) == settings::to_line(problem);
    };
    if (std::ranges::none_of(all, is_same)) all.push_back(problem);
  }
}

bool resolve_launch(const settings::RawSettings& values, const settings::Surroundings& around,
                    ResolvedCommand& base, std::vector<settings::Problem>& problems) {
  const settings::Resolution launch = settings::resolve(values, around);
  base.settings = launch.settings;
  if (!launch_options_are_good(launch.problems)) {
    add_problems(problems, launch.problems);
    return false;
  }
  base.detection = launching::detect(launching::make_request(launch.settings));
  if (!base.detection.problems.empty()) return false;
  base.ranks = ranks_of(base.detection);
  if (launch.problems.empty()) place_ranks(around.machine, base, problems);
  if (const auto problem =
          planning::unknown_rank_in_memory_limit(launch.settings, base.ranks.world_size)) {
    add_problems(problems, {*problem});
  }
  return true;
}

std::vector<int> node_of_rank(const settings::RankCount& ranks) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks.world_size; ++rank) {
    nodes.push_back(rank / std::max(1, ranks.local_world_size));
  }
  return nodes;
}

planning::AvailableMemory available_memory_here(int local_ranks) {
  const monitoring::Host host = monitoring::survey_host();
  planning::AvailableMemory there{.host_bytes = host.memory_bytes,
                                  .cgroup_bytes = host.cgroup.memory_bytes,
                                  .ranks = local_ranks};
  if (!host.gpus.empty()) there.gpu_bytes = host.gpus.front().memory_bytes;
  return there;
}

}  // namespace scalemark::cli
