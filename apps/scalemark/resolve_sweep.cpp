#include "apps/scalemark/resolve_sweep.h"

#include <algorithm>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "core/monitoring/environment.h"
#include "core/planning/make_plan.h"
#include "core/planning/memory_budget.h"
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

// Without a launcher: as many ranks as the largest point has.
void fill_in_ranks(settings::SweepRequest& asked, const settings::Machine& machine) {
  if (asked.common.contains("nproc_per_node")) return;
  const std::int64_t nodes = count_in(asked.common, "nnodes");
  const std::int64_t wanted = planning::ranks_wanted(asked, machine);
  asked.common["nproc_per_node"] = {std::to_string((wanted + nodes - 1) / nodes), "default"};
}

// What launching depends on: everything that the points share, and one number of threads.
settings::RawSettings launch_values(const settings::SweepRequest& asked) {
  settings::RawSettings raw = asked.common;
  for (const settings::Axis& axis : asked.axes) {
    if (axis.option == "threads") {
      raw[axis.option] = {axis.values.front(), axis.origin};
    }
  }
  return raw;
}

// Launchers fill nodes one after the other. The engine asks every rank once they have met
// (planning::assign_members).
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

void add(std::vector<settings::Problem>& all, const std::vector<settings::Problem>& more) {
  for (const settings::Problem& problem : more) {
    const auto is_same = [&](const settings::Problem& known) {
      return settings::to_line(known) == settings::to_line(problem);
    };
    if (std::ranges::none_of(all, is_same)) all.push_back(problem);
  }
}

}  // namespace

ResolvedSweep resolve_sweep(const Invocation& invocation) {
  const settings::Layers layers = read_layers(invocation);
  const ProbedMachine probed = probe_machine();
  ResolvedSweep resolved{.base = {}, .asked = settings::read_sweep(layers.raw), .plan = {}};
  settings::SweepRequest& asked = resolved.asked;
  fill_in_ranks(asked, probed.machine);

  std::vector<settings::Problem> problems = layers.problems;
  add(problems, asked.problems);
  settings::Surroundings around{.machine = probed.machine,
                                .ranks = std::nullopt,
                                .place = probe_place(run_id_in(layers.raw))};
  const settings::Resolution launch = settings::resolve(launch_values(asked), around);
  ResolvedCommand& base = resolved.base;
  base.settings = launch.settings;
  if (launch_options_are_good(launch.problems)) {
    base.detection = launching::detect(launching::make_request(launch.settings));
  } else {
    add(problems, launch.problems);
  }
  if (base.detection.problems.empty() && launch_options_are_good(launch.problems)) {
    base.ranks = ranks_of(base.detection);
    if (const auto problem =
            planning::unknown_rank_in_memory_limit(launch.settings, base.ranks.world_size)) {
      add(problems, {*problem});
    }
    planning::PlanAnswer answer =
        planning::make_plan({.asked = asked,
                             .machine = probed.machine,
                             .place = around.place,
                             .node_of_rank = node_of_rank(base.ranks),
                             .memory_available_bytes = planning::least_memory_available(
                                 launch.settings.parallel, base.ranks.world_size,
                                 available_memory_here(base.ranks.local_world_size))});
    add(problems, answer.problems);
    resolved.plan = std::move(answer.plan);
  }
  refuse(problems, base.detection);
  use_run_token(layers.raw, base.detection);

  // General settings (output, ...) are those of every point.
  const auto first = std::ranges::find_if(
      resolved.plan.points, [](const auto& point) { return point.asked && !point.skipped; });
  base.settings = first->settings;
  if (!may_print_notes(base)) return resolved;
  for (const std::string& note : layers.notes) print_note(note);
  for (const std::string& note : base.detection.notes) print_note(note);
  for (const std::string& note : resolved.plan.notes) print_note(note);
  return resolved;
}

}  // namespace scalemark::cli
