// scalemark sweep makes a plan from its options, and hands it to the engine.
#include "apps/scalemark/sweep_command.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/fresh_blocks.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/setting_text.h"
#include "apps/scalemark/start_ranks.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/plan/estimates.h"
#include "core/plan/make_plan.h"
#include "core/plan/order.h"
#include "core/plan/quick_network.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

class SweepCommand : public RankCommand {
 public:
  ResolvedCommand& base() override { return resolved_.base; }

  // Launching depends on everything that the points share, and on one number of threads.
  RankOptions read(const settings::RawSettings& raw, const settings::Machine& machine,
                   std::vector<settings::Problem>& problems) override {
    settings::SweepRequest& asked = resolved_.asked;
    asked = settings::read_sweep(raw);
    fill_in_ranks(asked.common, planning::ranks_wanted(asked, machine));
    add_problems(problems, asked.problems);
    settings::RawSettings common = asked.common;
    for (const settings::Axis& axis : asked.axes) {
      if (axis.option == "threads") common[axis.option] = {axis.values.front(), axis.origin};
    }
    return {.values = std::move(common)};
  }

  std::vector<std::string> resolve(const settings::Surroundings& around,
                                   std::vector<settings::Problem>& problems) override {
    const ResolvedCommand& base = resolved_.base;
    planning::PlanAnswer answer =
        planning::make_plan({.asked = resolved_.asked,
                             .machine = around.machine,
                             .place = around.place,
                             .node_of_rank = node_of_rank(base.ranks),
                             .memory_available_bytes = memory_available(base)});
    add_problems(problems, answer.problems);
    resolved_.plan = std::move(answer.plan);
    return resolved_.plan.notes;
  }

  // General settings (output, ...) are those of every point.
  void complete() override {
    const auto first = std::ranges::find_if(
        resolved_.plan.points, [](const auto& point) { return point.asked && !point.skipped; });
    resolved_.base.settings = first->settings;
  }

  std::vector<settings::Variables> environments() const override {
    return planning::environments_of(resolved_.plan);
  }

  std::string plan_text(bool json) const override {
    return json ? plan_document(resolved_) : plan_table(resolved_);
  }

  void refuse_missing() const override {
    for (const auto& point : resolved_.plan.points) {
      if (!point.skipped) refuse_missing_inputs(point.settings);
    }
  }

  void refuse_files(Inputs inputs) const override {
    for (const auto& point : resolved_.plan.points) {
      if (!point.skipped) add_inputs(point.settings, inputs);
    }
    const settings::Settings& settings = resolved_.base.settings;
    refuse_folders(settings, inputs);
    const bool may_exist = existing_folder() != reporting::ExistingFolder::kRefuse;
    refuse_used_folders(settings, groups_of_runs(), may_exist);
    refuse_too_large();
  }

  std::set<std::string> groups_of_runs() const override {
    std::set<std::string> groups;
    for (const auto& point : resolved_.plan.points) groups.insert(point.group);
    return groups;
  }

  std::optional<double> unlimited_s() const override {
    const settings::SweepSettings& sweep = resolved_.plan.sweep;
    const bool said =
        sweep.max_time_s || sweep.burn_in_hours || sweep.resume || sweep.resume_anyway;
    return said ? std::nullopt : std::optional(resolved_.plan.estimated_s);
  }

  reporting::ExistingFolder existing_folder() const override {
    using enum reporting::ExistingFolder;
    const settings::SweepSettings& sweep = resolved_.plan.sweep;
    // A rank that was started for one block continues the report of the block before.
    const bool one_block = sweep.fresh_process && !resolved_.base.detection.node;
    if (sweep.resume || sweep.resume_anyway || one_block) return kContinue;
    return resolved_.base.settings.general.overwrite ? kOverwrite : kRefuse;
  }

  std::vector<std::string> backends() const override {
    std::vector<std::string> backends;
    for (const auto& point : resolved_.plan.points) {
      if (!point.skipped) backends.push_back(point.settings.parallel.backend);
    }
    return backends;
  }

  bool restarts_ranks() const override { return resolved_.plan.sweep.fresh_process; }

  bool starts_ranks() override { return in_blocks() || RankCommand::starts_ranks(); }

  ExitCode start(const Invocation& invocation) override {
    return in_blocks() ? run_in_fresh_blocks(invocation, resolved_, existing_folder())
                       : RankCommand::start(invocation);
  }

  void prepare() override {
    const auto environments = planning::environments_of(resolved_.plan);
    if (environments.size() > 1) {
      resolved_.plan.launch = {own_environment(environments), continues_session()};
    }
  }

  ExitCode run(const api::EngineApi& engine, process::RunRequest request) override {
    request.command_line += words_of_quick();
    return engine.sweep({.run = std::move(request),
                         .settings = resolved_.base.settings,
                         .plan = std::move(resolved_.plan)});
  }

 private:
  // Writes what --quick chose as options: whoever repeats the command without it trains the same.
  std::string words_of_quick() const {
    const settings::Settings& settings = resolved_.base.settings;
    const auto flat = settings::flat_settings(settings);
    std::string words;
    for (const settings::Option& option : settings::all_options()) {
      if (value_at(settings.origins, std::string(option.name)) != planning::kOfQuick) continue;
      words += " " + settings::option_flag(option) + " " + shown_value(flat, option);
    }
    return words;
  }

  // Refuses a plan of which no point fits into memory by the estimate, which may be 20 % off.
  void refuse_too_large() const {
    const planning::Plan& plan = resolved_.plan;
    const bool searches = !plan.searches.empty();  // --batch-size auto finds what fits
    const settings::ParallelSettings& parallel = resolved_.base.settings.parallel;
    const bool limited =
        parallel.memory_limit.every_bytes || !parallel.memory_limit.bytes_of_rank.empty();
    if (!plan.memory_available_bytes || plan.sweep.allow_oom || searches || limited) return;
    std::optional<std::uint64_t> least;
    for (const auto& point : plan.points) {
      if (point.skipped) continue;
      const auto needed = planning::estimated_memory_bytes(point.settings, point.world_size);
      least = std::min(least.value_or(needed), needed);
    }
    constexpr double kSurely = 1.25;
    const auto there = static_cast<double>(*plan.memory_available_bytes);
    if (!least || static_cast<double>(*least) <= kSurely * there) return;
    throw configuration(
        "each point needs " + size_text(*least) + " per rank or more",
        size_text(*plan.memory_available_bytes) + " are there",
        "--scale-down, smaller batches or fewer ranks; --allow-oom tries nevertheless");
  }

  // Whether this process starts ranks for each block. A rank that was started for one block does
  // not; such ranks are all on one node. With one rank on each of several nodes, the command that a
  // person started is a rank of the built-in launcher, too.
  bool in_blocks() const {
    const auto& world = resolved_.base.detection.world;
    const bool is_rank = world.launcher == "local" && world.nodes == 1;
    return resolved_.plan.sweep.fresh_process && !is_rank;
  }

  ResolvedSweep resolved_;
};

}  // namespace

ExitCode sweep_command(const Invocation& invocation) {
  SweepCommand command;
  return run_rank_command(invocation, command);
}

}  // namespace scalemark::cli
