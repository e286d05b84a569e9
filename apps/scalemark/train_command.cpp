// scalemark train makes settings from its options, which --dry-run prints, and a report.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/plan_text.h"
#include "apps/scalemark/rank_command.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/workload.h"
#include "core/plan/estimates.h"
#include "core/plan/plan.h"
#include "core/settings/machine.h"
#include "core/settings/option.h"
#include "core/settings/processes.h"
#include "core/settings/resolve.h"
#include "core/settings/settings.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

std::string headline(const settings::Settings& settings) {
  const catalogue::Workload* workload = catalogue::find_workload(settings.task.workload);
  if (!workload) return {};
  const catalogue::ModelShape shape = planning::shape_of(*workload, settings);
  return workload->title + ": " + grouped(workload->parameters(shape)) + " parameters, " +
         significant(workload->flops_per_sample(shape) / 1e9, 4) +
         " GFLOP per sample forward and backward; on " +
         std::string(name_of(settings.parallel.device));
}

std::vector<SettingRow> setting_rows(const settings::Settings& settings) {
  auto values = settings::flat_settings(settings);
  std::vector<SettingRow> rows;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, settings.origins)) {
      const std::string origin = value_at(settings.origins, name);
      if (!takes(settings::kTrain, option) || origin.empty()) continue;
      if (name.starts_with("metrics_")) continue;  // the address of its pages is no setting
      rows.push_back({&option, name, shown_value(values, option, name), origin});
    }
  }
  for (const char* name : {"lr_warmup_share", "decay_norms_and_biases"}) {
    if (!value_at(settings.origins, name).empty())
      rows.push_back({nullptr, name, plain(values[name]), value_at(settings.origins, name)});
  }
  return rows;
}

// Shows the one run as a plan. How long epochs take depends on data that nobody has opened yet.
ShownPlan shown_plan(const ResolvedCommand& base) {
  const settings::Settings& settings = base.settings;
  const int ranks = settings::world_size_of(settings);
  const std::vector<std::string> point{planning::point_name(settings, ranks)};
  const auto cells = [&](const char* head, std::string cell) {
    return reporting::Column{{head}, false, {std::move(cell)}};
  };
  const auto memory = planning::estimated_memory_bytes(settings, ranks);
  const double seconds = planning::estimated_train_s(settings, ranks);
  const auto& epochs = settings.measuring.epochs;
  ShownPlan plan{.what = headline(settings),
                 .columns = {{{"point"}, true, point},
                             cells("ranks", std::to_string(ranks)),
                             cells("a run", epochs ? "-" : rough_duration(seconds)),
                             cells("memory", size_text(memory))},
                 .lines = {"1 run on " + ranks_in_words(base) + "; " +
                           (epochs ? "its time is that of " + counted(*epochs, "epoch") + "."
                                   : about_in_all(seconds))},
                 .settings = setting_rows(settings)};
  std::ranges::move(memory_lines(memory_available(base), {memory}), std::back_inserter(plan.lines));
  return plan;
}

// {"settings": {...}, "origins": {...}}
std::string settings_document(const settings::Settings& settings) {
  return "{\"settings\": " + settings::to_json(settings) +
         ",\n\"origins\": " + settings::texts_to_json(settings.origins) + "}\n";
}

class TrainCommand : public RankCommand {
 public:
  ResolvedCommand& base() override { return base_; }

  RankOptions read(const settings::RawSettings& raw, const settings::Machine& /*machine*/,
                   std::vector<settings::Problem>& /*problems*/) override {
    raw_ = raw;
    return {.values = raw, .all = true};
  }

  // The settings are resolved for the training ranks of these processes.
  std::vector<std::string> resolve(const settings::Surroundings& around,
                                   std::vector<settings::Problem>& problems) override {
    const auto ranks = settings::training_ranks(base_.settings, base_.ranks.world_size);
    settings::Surroundings with_ranks = around;
    with_ranks.ranks->world_size = ranks.world_size;
    settings::Resolution resolution = settings::resolve(raw_, with_ranks);
    add_problems(problems, resolution.problems);
    if (ranks.problem) add_problems(problems, {*ranks.problem});
    base_.settings = std::move(resolution.settings);
    return std::move(resolution.notes);
  }

  std::vector<settings::Variables> environments() const override {
    return {base_.settings.launch.environment};
  }

  std::string plan_text(bool json) const override {
    const settings::Settings& settings = base_.settings;
    if (json) return settings_document(settings);
    return set_plan(shown_plan(base_), base_.details);
  }

  void refuse_missing() const override { refuse_missing_inputs(base_.settings); }

  void refuse_files(Inputs inputs) const override {
    const settings::Settings& settings = base_.settings;
    const bool may_exist = existing_folder() != reporting::ExistingFolder::kRefuse;
    add_inputs(settings, inputs);
    refuse_folders(settings, inputs);
    const std::string& save = settings.recipe.save;
    if (!save.empty() && holds_rank_0(base_.detection)) {
      OutputFiles outputs(std::move(inputs), may_exist);
      outputs.reserve_folder(settings.general.output);
      outputs.check("--save", save);
    }
    refuse_used_folders(settings, groups_of_runs(), may_exist);
  }

  std::set<std::string> groups_of_runs() const override {
    return {planning::point_name(base_.settings, settings::world_size_of(base_.settings))};
  }

  reporting::ExistingFolder existing_folder() const override {
    using enum reporting::ExistingFolder;
    if (base_.settings.checkpoints.resume) return kContinue;
    return base_.settings.general.overwrite ? kOverwrite : kRefuse;
  }

  std::vector<std::string> backends() const override { return {base_.settings.parallel.backend}; }

  ExitCode run(const api::EngineApi& engine, process::RunRequest request) override {
    return engine.train({.run = std::move(request), .settings = base_.settings});
  }

 private:
  ResolvedCommand base_;
  settings::RawSettings raw_;
};

}  // namespace

ExitCode train_command(const Invocation& invocation) {
  TrainCommand command;
  return run_rank_command(invocation, command);
}

}  // namespace scalemark::cli
