// scalemark sweep: from options to a plan, and from there to the engine.
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

namespace scalemark::cli {
namespace {

class SweepCommand : public RankCommand {
 public:
  ResolvedCommand& base() override { return resolved_.base; }

  // Launching depends on everything that the points share, and on one number of threads.
  FirstLook read(const settings::RawSettings& raw, const settings::Machine& machine,
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

  void refuse_files(Inputs inputs) const override {
    for (const auto& point : resolved_.plan.points) {
      if (point.skipped) continue;
      refuse_missing_inputs(point.settings);
      add_inputs(point.settings, inputs);
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
    // A rank that was started for one block goes on where the one before ended.
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
      resolved_.plan.launch = {own_environment(environments), goes_on_with_session()};
    }
  }

  ExitCode run(const api::EngineApi& engine, process::RunRequest request) override {
    return engine.sweep({.run = std::move(request),
                         .settings = resolved_.base.settings,
                         .plan = std::move(resolved_.plan)});
  }

 private:
  // By the estimate, which may be 20 % off, no point fits into memory.
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
    throw configuration("each point needs " + size_text(*least) + " per rank or more",
                        size_text(*plan.memory_available_bytes) + " are there",
                        "smaller batches or fewer ranks; --allow-oom tries nevertheless");
  }

  // A rank that was started for one block starts none itself. Such ranks are all on one node: on
  // several nodes with one rank each, the command that a person started is a rank of the launcher,
  // too.
  bool in_blocks() const {
    const auto& world = resolved_.base.detection.world;
    const bool is_rank = world.launcher == "local" && world.nodes == 1;
    return resolved_.plan.sweep.fresh_process && !is_rank;
  }

  ResolvedSweep resolved_;
};

}  // namespace

const HelpPage sweep_page = {
    "",
    "Plans all combinations of the lists, adds the baseline (1 rank, no exchange) and the same\n"
    "ranks with no exchange, and repeats all in blocks of random order. Options\n"
    "of what is trained and how take lists and ranges: 1,2,4 or 32..256x2 or 1..9+2.\n"
    "--batch-size makes weak scaling, --global-batch-size strong scaling. "
    "`scalemark sweep` alone: the mlp on 1 and 2 ranks, or ResNet-50 on all GPUs.",
    "  scalemark sweep --dry-run                                       the plan, and nothing "
    "else\n"
    "  scalemark sweep --workload resnet50 --world-sizes 1,2,4,8 --batch-sizes 32..256x2\n"
    "  scalemark sweep --world-sizes 1..8x2 --global-batch-size 256 --strong-by accumulation\n"
    "  scalemark sweep --workload bert-mini --precisions fp32,amp-bf16 --quick\n"
    "  scalemark sweep --workload resnet50 --world-sizes 8 --tune bucket-cap-mb\n"
    "  scalemark sweep --config comm-mechanisms --scale-down           an experiment, in minutes\n"
    "  scalemark sweep --workload resnet50 --env NCCL_ALGO=,Ring,Tree  each in ranks of its own\n",
    {{"workload",
      "resnet50, bert-base, bert-large, bert-mini, mlp or linear [mlp, on GPUs resnet50]"},
     {"data", "images or text; else made up [synthetic]"},
     {"world_sizes", "numbers of ranks [1, 2, 4, ... up to all]"},
     {"batch_size", "samples per rank: weak scaling"},
     {"global_batch_size", "samples over all ranks: strong scaling"},
     {"precision", "arithmetic [fp32]"},
     {"strategy", "how ranks train together [ddp]"},
     {"repetitions", "runs of each point [5]"},
     {"quick", "a first look within 60 s, without intervals"},
     {"scale_down", "smaller, until it takes minutes on this machine"},
     {"max_time", ""},
     {"config", "options from a JSON file, or a built-in one by name"},
     {"output", "folder of the report [results/runs/sweep-...-{date}]"},
     {"resume", ""},
     {"dry_run", "the plan, with its time and memory"}}};

ExitCode sweep_command(const Invocation& invocation) {
  SweepCommand command;
  return run_rank_command(invocation, command);
}

}  // namespace scalemark::cli
