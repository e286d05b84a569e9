// scalemark comm makes a plan from its options, which --dry-run prints, and hands it to the engine.

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/plan_text.h"
#include "apps/scalemark/rank_command.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/catalogue/backends.h"
#include "core/plan/collectives/collective_plan.h"
#include "core/plan/collectives/make_collective_plan.h"
#include "core/settings/comm_settings.h"
#include "core/settings/option.h"
#include "core/settings/resolve.h"
#include "core/settings/settings_json.h"
#include "report/say/table/text_table.h"

namespace scalemark::cli {
namespace {

using planning::CollectivePlan;
using planning::CollectivePoint;
using reporting::Column;

// The options of `comm` resolved: settings, ranks and plan together. `base` holds the settings of
// the process; its settings of training are unused. `texts` has every option of comm, as --dry-run
// shows it.
struct ResolvedComm {
  ResolvedCommand base;
  settings::CommSettings comm;  // every option that was not given has been decided
  planning::CollectivePlan plan;
  std::map<std::string, std::string> texts;
  std::string settings_json;                  // settings of the process and of comm, for the report
  std::map<std::string, std::string> common;  // settings that must be equal on all ranks
};

// One line for each reason, with the points that have it.
std::vector<std::string> skipped_lines(const CollectivePlan& plan) {
  std::vector<std::string> reasons, lines;
  std::map<std::string, std::vector<std::string>> groups;
  for (const CollectivePoint& point : plan.points) {
    if (!point.skipped) continue;
    std::vector<std::string>& with_it = groups[*point.skipped];
    if (with_it.empty()) reasons.push_back(*point.skipped);
    with_it.push_back(point.group);
  }
  for (const std::string& reason : reasons) {
    lines.push_back("Skipped: " + reason + ": " + listed(groups[reason]));
  }
  return lines;
}

std::string pairs_text(const CollectivePlan& plan) {
  const planning::PairPlan& pairs = *plan.pairs;
  const bool by_rank = pairs.by == settings::PairBy::kRank;
  const std::string ranks = std::to_string(plan.world_size) + " ranks";
  const std::string ends = pairs.pass.nodes == 1
                               ? "the " + ranks + " of one node"
                               : std::to_string(pairs.pass.nodes) + " nodes of " + ranks +
                                     (by_rank ? ", each rank with the rank at its place" : "");
  const bool all = pairs.pass.ends <= planning::kAllMeetUpTo;
  std::string text =
      (all ? "Every link between " + ends
           : "Links of each with " + std::to_string(planning::kPartners) + " others, of " + ends) +
      ": " + counted(pairs.pass.links, "link") + " in " + counted(pairs.pass.rounds, "round") +
      ", " + counted(pairs.passes, "pass", "passes") + " over " + pairs.backend;
  if (pairs.divisions > 0) {
    text += "; then an all-reduce over all nodes" +
            std::string(pairs.divisions > 1 ? ", and over parts drawn at random" : "") + ", " +
            counted(pairs.divisions, "division") + " x " + counted(planning::kRunsOfParts, "run");
  }
  return text + "; " + about_in_all(planning::estimated_s(plan));
}

std::vector<SettingRow> setting_rows(const ResolvedComm& resolved) {
  std::vector<SettingRow> rows;
  const auto& origins = resolved.base.settings.origins;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, resolved.texts)) {
      const auto value = resolved.texts.find(name);
      if (value == resolved.texts.end()) continue;
      rows.push_back({&option, name, value->second, origins.at(name)});
    }
  }
  return rows;
}

// Points that differ in their size alone share one; with --details each has its own.
struct Sizes {
  CollectivePoint first;
  std::string name;
  std::int64_t least = 0, most = 0, memory = 0;
  double run_s = 0;  // one run of each of them
};

std::vector<Sizes> sizes_by_name(const CollectivePlan& plan, bool details) {
  std::vector<Sizes> all;
  for (const CollectivePoint& point : plan.points) {
    if (point.skipped) continue;
    const std::string name = details ? point.group : planning::point_name(point, "SIZE");
    const auto known = std::ranges::find(all, name, &Sizes::name);
    Sizes& sizes = known == all.end() ? all.emplace_back(point, name, point.bytes()) : *known;
    sizes.least = std::min(sizes.least, point.bytes());
    sizes.most = std::max(sizes.most, point.bytes());
    sizes.memory = std::max(sizes.memory, planning::buffer_bytes(point));
    sizes.run_s += planning::estimated_run_s(point);
  }
  return all;
}

std::string bytes_text(std::int64_t bytes) {
  return bytes ? size_text(static_cast<double>(bytes)) : reporting::kAbsent;
}

std::vector<Column> sizes_columns(const CollectivePlan& plan, bool details) {
  const auto rows = sizes_by_name(plan, details);
  return {reporting::column({"point"}, true, rows, &Sizes::name),
          reporting::column({"size"}, true, rows,
                            [](const Sizes& sizes) {
                              const std::string least = bytes_text(sizes.least);
                              if (sizes.least == sizes.most) return least;
                              return least + " to " + bytes_text(sizes.most);
                            }),
          reporting::column({"on ranks"}, true, rows,
                            [](const Sizes& sizes) { return number_ranges(sizes.first.members); }),
          reporting::column({"a block"}, false, rows,
                            [](const Sizes& sizes) { return rough_duration(sizes.run_s); }),
          reporting::column({"memory"}, false, rows,
                            [](const Sizes& sizes) { return bytes_text(sizes.memory); })};
}

std::string collective_plan_table(const ResolvedComm& resolved) {
  const CollectivePlan& plan = resolved.plan;
  const bool details = resolved.base.details;
  ShownPlan shown{
      .what = "links between " + ranks_in_words(resolved.base),
      .columns = {},
      .lines = {plan.pairs ? pairs_text(plan)
                           : total_in_words(resolved.base, plan.points, plan.repetitions,
                                            planning::estimated_s(plan))},
      .settings = setting_rows(resolved)};
  if (!plan.pairs) {
    shown.what = "collectives by themselves, on " + std::string(name_of(plan.device));
    shown.columns = sizes_columns(plan, details);
  }
  if (details && !plan.pairs)
    shown.lines.emplace_back(
        "Each block runs every point once, in an order of its own, from seed + block.");
  std::ranges::move(skipped_lines(plan), std::back_inserter(shown.lines));
  return set_plan(std::move(shown), details);
}

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string collective_plan_document(const ResolvedComm& resolved) {
  return "{\"plan\": " + planning::to_json(resolved.plan) +
         ",\n\"settings\": " + settings::texts_to_json(resolved.texts) +
         ",\n\"origins\": " + settings::texts_to_json(resolved.base.settings.origins) + "}\n";
}

// The settings that the processes need. The backend is a default here, since the plan decides which
// ones are used: NCCL with more ranks than GPUs would be refused, where comm only skips points.
settings::RawSettings launch_values(const settings::CommRequest& asked) {
  settings::RawSettings raw = asked.common;
  raw["backend"] = {std::string(catalogue::default_backend(false)), "default"};
  raw.try_emplace("output", settings::RawValue{"results/runs/comm-{date}", "default"});
  return raw;
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

// Keeps the origins of comm's own options: the settings of the process also have those of training.
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
  settings.origins.try_emplace("sizes", "derived");  // sizes_of gives them
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
  resolved.common["comm.plan"] = planning::plan_digest(resolved.plan);
  for (const auto& [name, origin] : process.origins) {
    const auto value = flat.find(name);
    const bool is_list = value != flat.end() && value->second.starts_with('[');
    resolved.texts[name] =
        is_list ? list_text(value->second) : shown_value(flat, *settings::find_option(name), name);
  }
  if (resolved.comm.in_place.empty()) resolved.texts["in_place"] = "as training calls each";
}

class CommCommand : public RankCommand {
 public:
  ResolvedCommand& base() override { return resolved_.base; }

  RankOptions read(const settings::RawSettings& raw, const settings::Machine& machine,
                   std::vector<settings::Problem>& problems) override {
    asked_ = settings::read_comm(raw);
    fill_in_ranks(asked_.common, planning::ranks_wanted(asked_, machine));
    add_problems(problems, asked_.problems);
    return {.values = launch_values(asked_)};
  }

  std::vector<std::string> resolve(const settings::Surroundings& around,
                                   std::vector<settings::Problem>& problems) override {
    ResolvedCommand& base = resolved_.base;
    settings::Resolution process = settings::resolve(launch_values(asked_), around);
    add_problems(problems, process.problems);
    base.settings = std::move(process.settings);
    if (!problems.empty()) return {};
    auto answer = planning::make_collective_plan(
        {.asked = asked_,
         .device = base.settings.parallel.device,
         .gpus_per_node = static_cast<int>(around.machine.gpus.size()),
         .node_of_rank = node_of_rank(base.ranks),
         .seed = base.settings.recipe.seed,
         .missing_backends = missing_backends(base),
         .memory_available_bytes = memory_available(base)});
    add_problems(problems, answer.problems);
    resolved_.plan = std::move(answer.plan);
    resolved_.comm = std::move(answer.comm);
    return resolved_.plan.notes;
  }

  void complete() override {
    describe(asked_, resolved_);
    // The traffic goes over Gloo.
    resolved_.base.meshes = std::ranges::any_of(
        resolved_.plan.points, [](const auto& one) { return !one.skipped && one.congestion; });
  }

  void refuse_files(Inputs inputs) const override {
    const settings::GeneralSettings& general = resolved_.base.settings.general;
    inputs.refuse_folder("--output", general.output);
  }

  std::vector<settings::Variables> environments() const override {
    return {resolved_.base.settings.launch.environment};
  }

  std::string plan_text(bool json) const override {
    return json ? collective_plan_document(resolved_) : collective_plan_table(resolved_);
  }

  std::string shorter_hint() const override {
    return "--scale-down, fewer values or --repetitions; or --yes";
  }

  std::optional<double> unlimited_s() const override {
    return planning::estimated_s(resolved_.plan);
  }

  reporting::ExistingFolder existing_folder() const override {
    return resolved_.base.settings.general.overwrite ? reporting::ExistingFolder::kOverwrite
                                                     : reporting::ExistingFolder::kRefuse;
  }

  std::vector<std::string> backends() const override {
    return planning::used_backends(resolved_.plan);
  }

  ExitCode run(const api::EngineApi& engine, process::RunRequest request) override {
    request.settings.common = std::move(resolved_.common);
    request.settings.json = resolved_.settings_json;
    return engine.comm({.run = std::move(request),
                        .plan = std::move(resolved_.plan),
                        .settings_json = std::move(resolved_.settings_json)});
  }

 private:
  settings::CommRequest asked_;
  ResolvedComm resolved_;
};

}  // namespace

ExitCode comm_command(const Invocation& invocation) {
  CommCommand command;
  return run_rank_command(invocation, command);
}

}  // namespace scalemark::cli
