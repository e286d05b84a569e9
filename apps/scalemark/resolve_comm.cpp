#include "apps/scalemark/resolve_comm.h"

#include <filesystem>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/library_folder.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/mpi_ranks.h"
#include "apps/scalemark/rank_environment.h"
#include "apps/scalemark/resolve_launch.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/error.h"
#include "core/catalogue/backends.h"
#include "core/planning/collectives/make_collective_plan.h"
#include "core/planning/collectives/plan_json.h"
#include "core/settings/resolve.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

// The processes need these values. Which backends are used is the plan's matter: a process that
// trained would be refused NCCL for more ranks than GPUs, where comm skips its points.
settings::RawSettings launch_values(const settings::CommRequest& asked) {
  settings::RawSettings raw = asked.common;
  raw["backend"] = {std::string(catalogue::default_backend(false)), "default"};
  raw.try_emplace("output", settings::RawValue{"results/runs/comm-{date}", "default"});
  return raw;
}

bool has_part(const char* name) { return std::filesystem::exists(library_folder() / name); }

// `base`: of the ranks that are launched; whether MPI can start or serve them is tried on a copy.
std::map<std::string, std::string> missing_backends(ResolvedCommand base) {
  std::map<std::string, std::string> missing;
  if (!has_part("libscalemark_cuda.so")) {
    missing["nccl"] = "this program was built without its CUDA part, which has nccl";
  }
  try {
    settle_mpi(base, {"mpi"});
  } catch (const Error& error) {
    const ErrorRecord& record = error.record();
    missing["mpi"] = record.hint.empty() ? record.what : record.what + "; " + record.hint;
  }
  return missing;
}

planning::CollectivePlanAnswer plan_for(const settings::CommRequest& asked,
                                        const ResolvedCommand& base,
                                        const settings::Machine& machine) {
  return planning::make_collective_plan({.asked = asked,
                                         .device = base.settings.parallel.device,
                                         .gpus_per_node = static_cast<int>(machine.gpus.size()),
                                         .node_of_rank = node_of_rank(base.ranks),
                                         .seed = base.settings.recipe.seed,
                                         .missing_backends = missing_backends(base),
                                         .memory_available_bytes = planning::least_memory_available(
                                             base.settings.parallel, base.ranks.world_size,
                                             available_memory_here(base.ranks.local_world_size))});
}

// "[\"gloo\",\"mpi\"]" -> "gloo,mpi", "[true,false]" -> "on,off"
std::string list_text(const std::string& json) {
  if (!json.starts_with('[')) return plain(json);
  std::string text, word;
  for (const char c : json.substr(1)) {
    if (c != ',' && c != ']') {
      word += c;
      continue;
    }
    text += (text.empty() ? "" : ",") + plain(word);
    word.clear();
  }
  return text;
}

// Only options of comm: the process's settings also hold those of a training.
void keep_own_origins(const settings::CommRequest& asked, settings::Settings& settings) {
  std::erase_if(settings.origins, [](const auto& entry) {
    const settings::Option* option = settings::find_option(entry.first);
    return !option || !takes(settings::kComm, *option);
  });
  settings.origins.erase("backend");
  for (const auto& [name, value] : asked.own) settings.origins[name] = value.origin;
  for (const char* decided : {"backend", "world_sizes", "in_place"}) {
    settings.origins.try_emplace(decided, "default");
  }
  settings.origins.try_emplace("sizes", "derived");  // from sizes_of
}

void describe(const settings::CommRequest& asked, ResolvedComm& resolved) {
  settings::Settings& process = resolved.base.settings;
  process.command = settings::command_name(settings::kComm);
  keep_own_origins(asked, process);
  resolved.settings_json = settings::to_json(process, resolved.comm);
  const auto flat = settings::flat_settings(process, resolved.comm);
  for (const auto& [name, value] : flat) {
    if (!settings::may_differ_between_ranks(name)) resolved.common[name] = value;
  }
  resolved.common["comm.plan"] = planning::plan_fingerprint(resolved.plan);
  for (const auto& [name, origin] : process.origins) {
    const auto value = flat.find(name);
    const bool is_list = value != flat.end() && value->second.starts_with('[');
    resolved.texts[name] =
        is_list ? list_text(value->second) : shown_value(flat, *settings::find_option(name), name);
  }
  if (resolved.comm.in_place.empty()) resolved.texts["in_place"] = "as training calls each";
}

void print_notes(const settings::Layers& layers, const ResolvedComm& resolved) {
  if (!may_print_notes(resolved.base)) return;
  for (const std::string& note : layers.notes) print_note(note);
  for (const std::string& note : resolved.base.detection.notes) print_note(note);
  for (const std::string& note : resolved.plan.notes) print_note(note);
}

}  // namespace

ResolvedComm resolve_comm(const Invocation& invocation) {
  const settings::Layers layers = read_layers(invocation);
  ProbedMachine probed = probe_machine();
  probe_topology(layers.raw, probed.machine);
  settings::CommRequest asked = settings::read_comm(layers.raw);
  fill_in_ranks(asked.common, planning::ranks_wanted(asked, probed.machine));

  std::vector<settings::Problem> problems = layers.problems;
  add_problems(problems, asked.problems);
  add_problems(problems, variables_of_launchers(layers.raw));
  settings::Surroundings around{.machine = probed.machine,
                                .ranks = std::nullopt,
                                .place = probe_place(run_id_in(layers.raw))};
  ResolvedComm resolved;
  resolved.base.date = around.place.date;
  if (resolve_launch(launch_values(asked), around, resolved.base, problems)) {
    around.ranks = resolved.base.ranks;
    settings::Resolution process = settings::resolve(launch_values(asked), around);
    add_problems(problems, process.problems);
    resolved.base.settings = std::move(process.settings);
  }
  if (problems.empty() && resolved.base.detection.problems.empty()) {
    auto answer = plan_for(asked, resolved.base, probed.machine);
    add_problems(problems, answer.problems);
    resolved.plan = std::move(answer.plan);
    resolved.comm = std::move(answer.comm);
  }
  refuse(problems, resolved.base.detection);
  use_run_token(layers.raw, resolved.base.detection);
  describe(asked, resolved);
  print_notes(layers, resolved);
  return resolved;
}

}  // namespace scalemark::cli
