#include "apps/scalemark/resolve_sweep.h"

#include <algorithm>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/rank_environment.h"
#include "apps/scalemark/resolve_launch.h"
#include "core/planning/make_plan.h"
#include "core/planning/memory_budget.h"

namespace scalemark::cli {
namespace {

// Launching depends on these: everything that the points share, and one number of threads.
settings::RawSettings launch_values(const settings::SweepRequest& asked) {
  settings::RawSettings raw = asked.common;
  for (const settings::Axis& axis : asked.axes) {
    if (axis.option == "threads") {
      raw[axis.option] = {axis.values.front(), axis.origin};
    }
  }
  return raw;
}

}  // namespace

ResolvedSweep resolve_sweep(const Invocation& invocation) {
  const settings::Layers layers = read_layers(invocation);
  ProbedMachine probed = probe_machine();
  probe_topology(layers.raw, probed.machine);
  ResolvedSweep resolved{.base = {}, .asked = settings::read_sweep(layers.raw), .plan = {}};
  settings::SweepRequest& asked = resolved.asked;
  fill_in_ranks(asked.common, planning::ranks_wanted(asked, probed.machine));

  std::vector<settings::Problem> problems = layers.problems;
  add_problems(problems, asked.problems);
  add_problems(problems, variables_of_launchers(layers.raw));
  const settings::Surroundings around{.machine = probed.machine,
                                      .ranks = std::nullopt,
                                      .place = probe_place(run_id_in(layers.raw))};
  ResolvedCommand& base = resolved.base;
  base.date = around.place.date;
  if (resolve_launch(launch_values(asked), around, base, problems)) {
    planning::PlanAnswer answer =
        planning::make_plan({.asked = asked,
                             .machine = probed.machine,
                             .place = around.place,
                             .node_of_rank = node_of_rank(base.ranks),
                             .memory_available_bytes = planning::least_memory_available(
                                 base.settings.parallel, base.ranks.world_size,
                                 available_memory_here(base.ranks.local_world_size))});
    add_problems(problems, answer.problems);
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
