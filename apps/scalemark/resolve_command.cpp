#include "apps/scalemark/resolve_command.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/rank_environment.h"
#include "core/base/error.h"
#include "core/launching/bind.h"
#include "core/launching/run_token.h"
#include "core/monitoring/topology.h"
#include "core/planning/memory_budget.h"
#include "core/settings/binding.h"
#include "core/settings/processes.h"
#include "core/settings/resolve.h"

namespace scalemark::cli {
settings::RankCount ranks_of(const launching::Detection& detection) {
  if (detection.node) {
    const launching::NodePlan& plan = *detection.node;
    return {.world_size = plan.nproc_per_node * plan.nnodes,
            .local_world_size = plan.nproc_per_node};
  }
  return {.world_size = detection.world.world_size,
          .local_world_size = detection.world.local_world_size};
}

bool launch_options_are_good(const std::vector<settings::Problem>& problems) {
  return std::ranges::none_of(problems, [](const settings::Problem& problem) {
    const settings::Option* option = settings::find_option(problem.option);
    return option && option->group == settings::Group::kLaunch;
  });
}

std::string run_id_in(const settings::RawSettings& raw) {
  const auto found = raw.find("run_id");
  return found == raw.end() ? std::string() : found->second.text;
}

void use_run_token(const settings::RawSettings& raw, launching::Detection& detection) {
  const auto option = raw.find("run_token");
  const bool told = !detection.error_file.empty();
  if (option == raw.end() || told) return;
  const launching::RunToken token = launching::read_run_token(option->second.text);
  detection.rendezvous.secret = token.secret;
  if (detection.node) detection.node->rendezvous.secret = token.secret;
  if (!token.note.empty()) detection.notes.push_back(token.note);
}

void refuse(const std::vector<settings::Problem>& problems, const launching::Detection& detection) {
  const std::size_t count = problems.size() + detection.problems.size();
  if (count == 0) return;
  if (count > 1) {
    for (const auto& problem : problems) print_note("refused: " + settings::to_line(problem));
    for (const ErrorRecord& record : detection.problems) {
      print_note("refused: " + record.what + "; " + record.expected);
    }
  }
  settings::refuse_if_invalid(problems);
  launching::refuse_if_invalid(detection);
}

bool may_print_notes(const ResolvedCommand& resolved) {
  const bool started_by_us = !resolved.detection.error_file.empty();
  return !resolved.settings.general.quiet && resolved.detection.world.rank == 0 && !started_by_us;
}

void place_ranks(const settings::Machine& machine, ResolvedCommand& resolved,
                 std::vector<settings::Problem>& problems) {
  const settings::Settings& settings = resolved.settings;
  if (auto problem = settings::impossible_binding(settings, machine, resolved.ranks)) {
    problems.push_back(std::move(*problem));
  }
  resolved.places = settings::place_ranks(machine, settings.parallel.bind, settings.parallel.device,
                                          resolved.ranks.local_world_size)
                        .places;
}

void bind_rank(ResolvedCommand& resolved) {
  if (resolved.places.empty()) return;
  resolved.given_cpus = monitoring::allowed_cpus();
  const auto local_rank = static_cast<std::size_t>(resolved.detection.world.local_rank);
  launching::bind_process(resolved.places.at(local_rank));
}

// Settings for the training ranks of these processes.
settings::Resolution resolve_with(const settings::RawSettings& raw, settings::Surroundings around,
                                  const settings::RankCount& launched,
                                  const settings::Settings& first_look) {
  const auto ranks = settings::training_ranks(first_look, launched.world_size);
  around.ranks = {.world_size = ranks.world_size, .local_world_size = launched.local_world_size};
  settings::Resolution resolution = settings::resolve(raw, around);
  if (ranks.problem) resolution.problems.push_back(*ranks.problem);
  return resolution;
}

ResolvedCommand resolve_command(const Invocation& invocation) {
  const settings::Layers layers = read_layers(invocation);
  ProbedMachine probed = probe_machine();
  probe_topology(layers.raw, probed.machine);
  settings::Surroundings around{.machine = probed.machine,
                                .ranks = std::nullopt,
                                .place = probe_place(run_id_in(layers.raw))};
  settings::Resolution resolution = settings::resolve(layers.raw, around);
  ResolvedCommand resolved;
  resolved.date = around.place.date;
  if (launch_options_are_good(resolution.problems)) {
    settings::Settings launched = resolution.settings;
    launched.launch = settings::launch_of(resolution.settings);
    resolved.detection = launching::detect(launching::make_request(launched));
    if (resolved.detection.problems.empty()) {
      resolved.ranks = ranks_of(resolved.detection);
      resolution = resolve_with(layers.raw, around, resolved.ranks, resolution.settings);
      if (auto problem = planning::unknown_rank_in_memory_limit(resolution.settings,
                                                                resolved.ranks.world_size)) {
        resolution.problems.push_back(std::move(*problem));
      }
    }
  }
  std::vector<settings::Problem> problems = layers.problems;
  problems.insert(problems.end(), resolution.problems.begin(), resolution.problems.end());
  std::ranges::move(variables_of_launchers(layers.raw), std::back_inserter(problems));
  resolved.settings = std::move(resolution.settings);
  if (problems.empty()) place_ranks(probed.machine, resolved, problems);
  refuse(problems, resolved.detection);
  use_run_token(layers.raw, resolved.detection);

  if (!may_print_notes(resolved)) return resolved;
  std::vector<std::string> notes = layers.notes;
  notes.insert(notes.end(), resolution.notes.begin(), resolution.notes.end());
  notes.insert(notes.end(), resolved.detection.notes.begin(), resolved.detection.notes.end());
  if (probed.gpus_without_cuda_part > 0) {
    notes.push_back(std::to_string(probed.gpus_without_cuda_part) +
                    " GPUs are visible, but this program was built without its CUDA part");
  }
  for (const std::string& note : notes) print_note(note);
  return resolved;
}

}  // namespace scalemark::cli
