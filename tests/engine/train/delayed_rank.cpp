// One of two ranks that measure the same training with and without planted delays, by what the
// product measures with: warm_up, measure, condense, assemble_point, summarise_sweep.
//
//   delayed-rank RANK WORLD_SIZE HOST:PORT BLOCKS STEPS STEP_MS DELAY_MS
//
// A rank that is not allowed to come before other programs prints "no priority".
// Rank 0 prints a line per block and case: "terms CASE slower_compute data_wait
// persistent_imbalance jitter communication", in seconds per step against the block's 1-rank run,
// then what the run itself says, "peer_wait_s network_s forward data_wait whole_step"; and in the
// end "words CASE ...", the scaling table's sentence over all blocks.
#include <ATen/Parallel.h>
#include <sched.h>
#include <signal.h>
#include <torch/nn/module.h>

#include <array>
#include <cstdio>
#include <functional>
#include <utility>

#include "engine/device/device.h"
#include "engine/distributed/providers.h"
#include "engine/train/batch_source.h"
#include "engine/train/results/over_ranks.h"
#include "engine/train/warmup/warm_up.h"
#include "engine/train/window.h"
#include "engine/train/workload_data.h"
#include "report/judge/point/assemble.h"
#include "report/judge/point/rank_steps.h"
#include "report/judge/sweep/summary.h"
#include "report/record/rank_fields.h"
#include "tests/engine/distributed/rank_setup.h"
#include "tests/engine/train/planted.h"
#include "tools/programs/commands.h"

namespace scalemark::testing {
namespace {

// Where it is allowed, other programs wait for this one, which sleeps most of the time: what is
// measured here are milliseconds, and a wake-up on a busy core costs as much. Threads inherit it.
void come_first() {
  const sched_param lowest{.sched_priority = sched_get_priority_min(SCHED_RR)};
  if (sched_setscheduler(0, SCHED_RR, &lowest) != 0) say("no priority");
}

constexpr const char* kWorkload = "linear";
constexpr std::int64_t kBatchSize = 8;
// Rank 0 is always first at the all-reduce, delays or not: two ranks that arrive together wake each
// other's threads on the same cores, which takes another time.
constexpr double kHeadStartS = 0.002;
constexpr std::int64_t kWarmupSteps = 1;

// A rank is delayed at `where`, which points into Plant.
struct Case {
  std::string name;
  double Plant::*where = nullptr;
  bool rank_0_too = false;
};

const std::array<Case, 7>& cases() {
  static const std::array<Case, 7> all{
      {{"undelayed"},
       {"compute", &Plant::compute_s},
       {"data", &Plant::data_s},
       {"communication", &Plant::communication_s},
       {"compute-everywhere", &Plant::compute_s, true},
       {"data-everywhere", &Plant::data_s, true},
       {"communication-everywhere", &Plant::communication_s, true}}};
  return all;
}

struct Sizes {
  int blocks = 0;
  std::int64_t steps = 0;
  double step_s = 0, delay_s = 0;
};

// Ignores the progress of the loops, which a running program watches.
struct NoWatch final : running::StepWatch {
  void enter(const std::string&) override {}
  void begin(const std::string&, std::optional<std::int64_t>, std::int64_t) override {}
  bool stop_before(std::int64_t) override { return false; }
  bool peers_answered() const override { return true; }
  void step_done(std::int64_t, std::optional<double>) override {}
};

// A rank's training, planted; strategy none without a group.
class Training {
 public:
  Training(const c10::intrusive_ptr<c10d::ProcessGroup>& group, int rank)
      : network_(with_delay(workloads::make_network(
                                kWorkload, {.shape = catalogue::resolved_shape(*workload(), {})}),
                            plant_)) {
    network_->module().train();
    const auto parameters = training::trainable_parameters(network_->module());
    settings::ParallelSettings parallel;
    if (!group) parallel.strategy = "none";
    auto strategy = training::make_strategy(
        {parameters, training::buffers_of(network_->module()), group, parallel});
    const settings::RecipeSettings recipe{.optimizer = "sgd", .learning_rate = 0.01};
    step_ = std::make_unique<training::TrainStep>(
        *network_, parameters, training::make_optimizer(parameters, recipe),
        with_delay(std::move(strategy), plant_),
        training::TrainStepOptions{.schedule = {.kind = "constant", .rate = 0.01}});
    settings::Settings settings;
    settings.task.workload = kWorkload;
    settings.size.batch_size = kBatchSize;
    batches_ = running::cached_batches(running::synthetic_batches(
        settings, *workload(), catalogue::resolved_shape(*workload(), {}), rank,
        data::allocate_host));
  }

  // One window under `plant`, as the running program takes it.
  running::Window window(const Plant& plant, std::int64_t steps, device::Device& device,
                         distributed::ControlGroup& control) {
    plant_ = plant;
    NoWatch watch;
    const running::StepContext context{
        .step = *step_,
        .next_batch = with_delay([&] { return batches_->next(); }, plant_),
        .device = device,
        .control = control,
        .watch = watch};
    running::warm_up(context, {.warmup_iters = kWarmupSteps});
    return running::measure(context, "window", {.steps = steps});
  }

 private:
  static const catalogue::Workload* workload() { return catalogue::find_workload(kWorkload); }

  Plant plant_;  // declared before those that read it
  std::unique_ptr<workloads::Network> network_;
  std::unique_ptr<training::TrainStep> step_;
  std::unique_ptr<running::BatchSource> batches_;
};

using MaxOverRanks = std::function<void(std::vector<double>&)>;

// The record of a run, gathered as the running program does; meaningful on rank 0.
reporting::PointRecord record_of(const running::Window& window, const std::string& group,
                                 const std::string& strategy, int block,
                                 distributed::ControlGroup& control, const MaxOverRanks& max_of) {
  reporting::RankMeasurement measured{.record = {.rank = control.rank(), .device = "cpu"}};
  running::note_window(window, /*tokens_per_sample=*/0, measured);
  auto series = reporting::condense(measured);
  for (auto* values :
       {&series.max_step_s, &series.max_own_s, &series.max_own_less_wait_s, &series.max_wall_s}) {
    max_of(*values);
  }
  const auto ranks = distributed::gathered(control, measured);
  if (ranks.empty()) return {};
  reporting::PointRecord identity{.id = group + "/r" + std::to_string(block),
                                  .group = group,
                                  .workload = kWorkload,
                                  .strategy = strategy,
                                  .device = "cpu",
                                  .world_size = control.world_size()};
  identity.batch_size = kBatchSize;
  identity.gradient_accumulation_steps = 1;
  identity.repetition = identity.block = block;
  return reporting::assemble_point(std::move(identity), ranks, series);
}

constexpr const char* kBaseline = "alone";

// The row of a case in the product's scaling table over these runs.
reporting::ScalingRow row_of(const std::vector<reporting::PointRecord>& runs,
                             const std::string& group) {
  reporting::Report report;
  report.points = runs;
  reporting::summarise_sweep(
      report, {.slices = {{.kind = "weak", .baseline = kBaseline, .rows = {group}}}});
  for (const auto& row : report.scaling.at(0).rows) {
    if (row.group == group) return row;
  }
  throw bug("the scaling table has no row for " + group);
}

// Prints the terms of one block. Shares of efficiency times the step are the terms in seconds (one
// pair: share = term / T_N).
void say_terms(const reporting::PointRecord& baseline, const reporting::PointRecord& run) {
  const auto loss = row_of({baseline, run}, run.group).loss_of_efficiency.value();
  const double step_s = run.wall_s / static_cast<double>(run.iterations);
  const auto& phases = run.phases_s.value();
  char line[256];
  std::snprintf(line, sizeof line, "terms %s %.9f %.9f %.9f %.9f %.9f %.9f %.9f %.9f %.9f %.9f",
                run.group.c_str(), loss.slower_compute * step_s, loss.data_wait * step_s,
                loss.persistent_imbalance * step_s, loss.jitter.value_or(0) * step_s,
                loss.communication * step_s, run.communication.peer_wait_s.value(),
                run.communication.network_s.value(), phases.forward, phases.data_wait, step_s);
  say(line);
}

class Trial {
 public:
  Trial(Run& run, const Sizes& sizes)
      : run_(run),
        sizes_(sizes),
        device_(device::make_cpu_device()),
        group_(gloo_group(run, "pair")),
        alone_group_({.store = run.joined.store,
                      .name = "alone" + std::to_string(run.rank()),
                      .members = {run.rank()},
                      .timeout = run.arguments.timeout,
                      .interface = "lo"},
                     distributed::gloo()),
        control_(group_.control(), group_.count(), run.arguments.timeout, run.error_store,
                 run.arguments.timeout),
        alone_control_(alone_group_.control(), alone_group_.count(), run.arguments.timeout,
                       run.error_store, run.arguments.timeout),
        pair_(group_.group(), run.rank()),
        alone_(nullptr, 0) {}

  void block(int number) {
    reporting::PointRecord baseline;
    if (run_.rank() == 0) {
      const auto window =
          alone_.window({.compute_s = sizes_.step_s}, sizes_.steps, *device_, alone_control_);
      baseline = record_of(window, kBaseline, "none", number, alone_control_, [](auto&) {});
      runs_.push_back(baseline);
    }
    control_.barrier();
    const auto max_of_pair = [this](std::vector<double>& values) {
      control_.max_over_ranks(values);
    };
    for (std::size_t i = 0; i < cases().size(); ++i) {
      // Another order in every block: no case always follows the same one.
      const Case& one = cases()[(i + static_cast<std::size_t>(number)) % cases().size()];
      const auto run = record_of(pair_.window(plant_of(one), sizes_.steps, *device_, control_),
                                 one.name, "ddp", number, control_, max_of_pair);
      if (run_.rank() != 0) continue;
      say_terms(baseline, run);
      runs_.push_back(run);
    }
  }

  void say_words() const {
    for (const Case& one : cases())
      say("words " + one.name + " " + row_of(runs_, one.name).in_words);
  }

 private:
  Plant plant_of(const Case& one) const {
    Plant plant{.compute_s = sizes_.step_s + (run_.rank() == 1 ? kHeadStartS : 0)};
    if (one.where && (run_.rank() == 1 || one.rank_0_too)) plant.*one.where += sizes_.delay_s;
    return plant;
  }

  Run& run_;
  Sizes sizes_;
  std::unique_ptr<device::Device> device_;
  distributed::PointGroup group_, alone_group_;
  distributed::ControlGroup control_, alone_control_;
  Training pair_, alone_;
  std::vector<reporting::PointRecord> runs_;
};

void measure_delays(Run& run) {
  const auto& rest = run.arguments.rest;
  const Sizes sizes{.blocks = std::stoi(rest.at(0)),
                    .steps = std::stoi(rest.at(1)),
                    .step_s = std::stod(rest.at(2)) / 1e3,
                    .delay_s = std::stod(rest.at(3)) / 1e3};
  Trial trial(run, sizes);
  for (int number = 0; number < sizes.blocks; ++number) trial.block(number);
  if (run.rank() == 0) trial.say_words();
}

}  // namespace
}  // namespace scalemark::testing

int scalemark::commands::delayed_rank(int argc, char** argv) {
  using namespace scalemark::testing;
  signal(SIGPIPE, SIG_IGN);
  come_first();
  at::set_num_threads(1);
  return run_scenario(parse({argv + 1, argv + argc}), measure_delays);
}
