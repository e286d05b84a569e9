#include "engine/running/point.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/monitoring/energy.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/topology.h"
#include "core/planning/estimates.h"
#include "core/reporting/point/rank_steps.h"
#include "engine/device/own_stream.h"
#include "engine/process/telemetry.h"
#include "engine/running/batch_source.h"
#include "engine/running/bucket_steps.h"
#include "engine/running/communication_cost.h"
#include "engine/running/epochs.h"
#include "engine/running/point_data.h"
#include "engine/running/results/loss_course.h"
#include "engine/running/results/over_ranks.h"
#include "engine/running/results/rank_measurement.h"
#include "engine/running/run_state.h"
#include "engine/running/trace/trace_run.h"
#include "engine/running/trainer.h"
#include "engine/running/warmup/warm_up.h"
#include "engine/running/window.h"
#include "workloads/weights.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmupSecondsCpu = 2;
constexpr double kWarmupSecondsCuda = 10;

// A measured run whose length is given in seconds, of warm-up or window, follows the schedule of a
// run of this many steps: how many it will have is known only after the warm-up.
constexpr std::int64_t kNominalSteps = 1000;

EpochTrainingOptions epochs_of(process::RankGroup& rank_group, const settings::Settings& settings,
                               const TrainingRanks& ranks, const catalogue::Workload& workload) {
  return {.epochs = settings.measuring.epochs.value_or(0),
          .micro_steps = settings.size.gradient_accumulation_steps,
          .empty_cache_every = settings.parallel.empty_cache_every,
          .sampling = sampling_of(rank_group.device(), settings, ranks),
          .metric = workload.metric};
}

std::int64_t planned_steps(process::RankGroup& rank_group, const settings::Settings& settings,
                           const TrainingRanks& ranks, const catalogue::Workload& workload,
                           const WorkloadData& data) {
  const auto& measuring = settings.measuring;
  if (measuring.epochs) {
    return *measuring.epochs *
           steps_per_epoch(data.train->size(), epochs_of(rank_group, settings, ranks, workload));
  }
  return scheduled_steps(measuring);
}

class PointTraining {
 public:
  PointTraining(process::RankGroup& rank_group, const settings::Settings& settings,
                const planning::RunLength& length, const catalogue::Workload& workload,
                const WorkloadData& data, StepWatch& watch, CheckpointOptions checkpoints,
                TraceRequest trace)
      : rank_group_(rank_group),
        settings_(settings),
        length_(length),
        workload_(workload),
        data_(data),
        watch_(watch),
        checkpoints_(std::move(checkpoints)),
        trace_(std::move(trace)),
        ranks_(training_ranks_of(settings, rank_group.world())) {
    if (settings.parallel.cuda_graphs) stream_.emplace(rank_group.device());
    facts_.serves = ranks_.serves();
    facts_.rank = rank_group.global_rank();
    facts_.host = rank_group.context().host();
    facts_.device = rank_group.device().name();
    facts_.uuid = rank_group.device().identity();
    facts_.setup_s.rendezvous_s = rank_group.rendezvous_s();
    facts_.machine = monitoring::machine_id();
    facts_.cpus = monitoring::allowed_cpus();
    facts_.memory_node = monitoring::preferred_memory_node();
    if (workload.data_kind == catalogue::DataKind::kText) {
      facts_.tokens_per_sample = data.shape.sequence_length;
    }
  }

  PointOutcome run(const EpochReport& report_epoch) {
    rank_group_.device().reset_memory_peak();
    telemetry_ = process::open_telemetry(rank_group_.context(), rank_group_.leads_node());
    build();
    PointOutcome outcome;
    const Window window =
        settings_.measuring.epochs ? train(outcome, report_epoch) : measure_steps();
    outcome.stopped = window.stopped;
    outcome.measuring_s = warmup_s_ + window.wall_s + extra_steps_s_;
    watch_.enter("report");
    if (outcome.stopped) {  // it has no row; no rank leaves while others are still in a step
      if (watch_.peers_answered()) rank_group_.control().barrier();
      return outcome;
    }
    gather(window, outcome);
    save(outcome);
    trace(outcome);
    return outcome;
  }

 private:
  void build() {
    watch_.enter("model");
    const auto start = Clock::now();
    trainer_ = make_trainer(settings_, data_.shape, rank_group_.device(), gradient_group(), ranks_,
                            planned_steps(rank_group_, settings_, ranks_, workload_, data_));
    rank_group_.device().synchronize();
    // Only making it took these: a copy of all parameters for the broadcast, the flattened ones'
    // old places. Kept, they would add to the peak of steps that have no blocks of that size.
    rank_group_.device().release_cached_memory();
    facts_.setup_s.model_s = seconds_since(start);
  }

  Window train(PointOutcome& outcome, const EpochReport& report_epoch) {
    watch_.enter("epochs");
    Checkpoints checkpoints(std::move(checkpoints_), rank_group_.control());
    auto result = train_epochs({.trainer = trainer_,
                                .train = *data_.train,
                                .held_out = *data_.held_out,
                                .device = rank_group_.device(),
                                .control = rank_group_.control(),
                                .watch = watch_,
                                .checkpoints = checkpoints,
                                .report = report_epoch,
                                .telemetry = telemetry_.get()},
                               epochs_of(rank_group_, settings_, ranks_, workload_));
    outcome.evaluations = std::move(result.evaluations);
    outcome.resumed = std::move(result.resumed);
    facts_.skipped = std::move(result.skipped);
    facts_.left_out = result.left_out;
    facts_.setup_s.data_s = result.data_s;
    note_memory_peak();
    set_first_step({}, result.all);
    return std::move(result.all);
  }

  Window measure_steps() {
    watch_.enter("data");
    const auto start = Clock::now();
    if (!ranks_.serves()) {
      source_ = open_source(rank_group_.device(), settings_, workload_, data_, ranks_);
    }
    facts_.setup_s.data_s = seconds_since(start);

    LossCourse losses;
    const StepContext context = step_context(&losses);
    watch_.enter("warmup");
    const Warmup warmup = warm_up(context, length_);
    warmup_s_ = warmup.seconds;
    facts_.warmup_iterations = warmup.iterations;
    facts_.warmup_settled = warmup.settled;
    if (warmup.stopped) return Window{.stopped = true};

    watch_.enter("window");
    const WindowPlan plan =
        agreed(rank_group_.control(),
               plan_window(context,
                           planning::whole_periods(window_steps(length_, warmup.step_s),
                                                   settings::exchange_period(settings_)),
                           warmup.step_s));
    const auto energy = open_energy();
    const auto profiler =
        settings_.measuring.profiler_range ? rank_group_.device().outer_profiler() : nullptr;
    Window window = measure(
        context, "window", plan,
        {.energy = energy.get(), .telemetry = telemetry_.get(), .profiler = profiler.get()});
    set_first_step(warmup, window);
    require_finite(window.losses, warmup.iterations);
    note_memory_peak();
    facts_.loss_course = losses.with_window(warmup.iterations, window.losses);
    if (!window.stopped) window.stopped = !time_gradient_buckets(context);
    if (settings::measures_communication_cost(settings_) && !window.stopped) {
      window.stopped = !measure_communication_cost(context, plan);
    }
    if (source_) facts_.skipped = source_->skipped();
    return window;
  }

  StepContext step_context(LossCourse* losses) {
    return {.step = *trainer_.step,
            .next_batch = [this] { return source_->next(); },
            .micro_steps = settings_.size.gradient_accumulation_steps,
            .device = rank_group_.device(),
            .control = rank_group_.control(),
            .watch = watch_,
            .losses = losses,
            .empty_cache_every = settings_.parallel.empty_cache_every};
  }

  void trace(PointOutcome& outcome) {
    const auto start = Clock::now();
    trace_run(rank_group_, step_context(nullptr), trace_, outcome);
    outcome.measuring_s += seconds_since(start);
  }

  // Without a warm-up the first step is in the window.
  void set_first_step(const Warmup& warmup, const Window& window) {
    if (warmup.first_step_s) {
      facts_.setup_s.first_step_s = *warmup.first_step_s;
    } else if (!window.steps.step_s.empty()) {
      facts_.setup_s.first_step_s = window.steps.step_s.front();
    }
  }

  // False when an agreed stop came in between. What is saved are the weights after the window. A
  // step that runs as a whole hands no bucket over.
  bool time_gradient_buckets(const StepContext& context) {
    if (exchanges_through_the_host() || trainer_.step->runs_as_a_whole()) return true;
    const auto start = Clock::now();
    workloads::NamedTensors before;
    if (!settings_.recipe.save.empty()) before = copy_of(state(source_.get()));
    BucketCourse course = time_buckets(context, trainer_.parameters.size());
    if (!before.empty()) put_back(before, state(source_.get()), "the state after the window");
    extra_steps_s_ += seconds_since(start);
    facts_.buckets = std::move(course.buckets);
    return !course.stopped;
  }

  // A GPU's gradients over a backend of the CPU: their ends are on no stream of the GPU.
  bool exchanges_through_the_host() const {
    return rank_group_.device().torch_device().is_cuda() &&
           !catalogue::needs_one_rank_per_gpu(settings_.parallel.backend);
  }

  // False when an agreed stop came in between.
  bool measure_communication_cost(const StepContext& context, const WindowPlan& window) {
    const auto start = Clock::now();
    const auto usual = settings_.parallel.overlap ? training::Exchange::kOverlapped
                                                  : training::Exchange::kAfterwards;
    CommunicationCostBlocks cost = measure_communication_cost_blocks(
        context, state(source_.get()), usual, window, settings::exchange_period(settings_));
    extra_steps_s_ += seconds_since(start);
    if (!cost.stopped) facts_.cost_blocks = std::move(cost.blocks);
    return !cost.stopped;
  }

  RunState state(BatchSource* source) {
    return {
        .step = *trainer_.step, .source = source, .device = rank_group_.device().torch_device()};
  }

  // Called at the end of the measured part: later memory does not belong to the point.
  void note_memory_peak() {
    facts_.memory_peak_bytes = rank_group_.device().memory_peak_bytes();
    facts_.memory_reserved_bytes = rank_group_.device().memory_reserved_bytes();
  }

  // The counters that this rank reads: its GPU's, or its machine's CPU packages. None of several
  // GPUs: those of one would be a part of the energy beside all of the samples.
  std::unique_ptr<monitoring::EnergyMeter> open_energy() const {
    if (rank_group_.device().torch_device().is_cuda()) {
      if (ranks_.count > 1) return nullptr;
      return monitoring::open_gpu_energy(rank_group_.device().identity());
    }
    return rank_group_.leads_node() ? monitoring::open_cpu_energy() : nullptr;
  }

  // A full disk must not lose the measurements.
  void save(PointOutcome& outcome) {
    if (settings_.recipe.save.empty()) return;
    trainer_.step->strategy().gather_full();
    if (rank_group_.world().rank != 0) return;
    try {
      workloads::save_weights(*trainer_.network, settings_.recipe.save);
    } catch (const Error&) {
      outcome.not_saved = std::current_exception();
    }
  }

  void gather(const Window& window, PointOutcome& outcome) {
    facts_.communication = trainer_.step->strategy().communication();
    facts_.attention_backends = trainer_.network->attention_backends();
    facts_.telemetry = telemetry_->summaries();
    auto measured = rank_measurement(window, facts_);
    if (settings_.measuring.raw_steps) outcome.raw_steps = raw_steps(window, facts_);
    OverRanks all = over_ranks(std::move(measured), rank_group_, ranks_.serves());
    outcome.ranks = std::move(all.ranks);
    outcome.series = std::move(all.series);
  }

  c10::intrusive_ptr<c10d::ProcessGroup> gradient_group() const {
    return catalogue::exchanges(settings_.parallel.strategy) ? rank_group_.group() : nullptr;
  }

  process::RankGroup& rank_group_;
  const settings::Settings& settings_;
  const planning::RunLength& length_;
  const catalogue::Workload& workload_;
  const WorkloadData& data_;
  StepWatch& watch_;
  CheckpointOptions checkpoints_;
  TraceRequest trace_;
  TrainingRanks ranks_;
  RankFacts facts_;
  double warmup_s_ = 0, extra_steps_s_ = 0;
  std::unique_ptr<monitoring::Sampler> telemetry_;
  std::optional<device::OwnStream> stream_;  // of what is captured; outlives all that is made on it
  Trainer trainer_;
  std::unique_ptr<BatchSource> source_;  // of a measured run
};

}  // namespace

std::int64_t scheduled_steps(const settings::MeasuringSettings& measuring) {
  if (!measuring.iters) return kNominalSteps;
  if (measuring.warmup_iters) return *measuring.warmup_iters + *measuring.iters;
  return std::max(kNominalSteps, *measuring.iters);
}

planning::RunLength run_length_of(const settings::Settings& settings) {
  planning::RunLength length{.warmup_iters = settings.measuring.warmup_iters,
                             .iters = settings.measuring.iters};
  length.least_warmup_s = settings.parallel.device == settings::DeviceKind::kCuda
                              ? kWarmupSecondsCuda
                              : kWarmupSecondsCpu;
  length.max_warmup_s = settings.measuring.max_warmup_s;
  if (length.max_warmup_s) {
    length.least_warmup_s = std::min(length.least_warmup_s, *length.max_warmup_s);
  }
  length.least_window_s = std::max(length.least_window_s, settings.measuring.min_time_s);
  return length;
}

PointOutcome run_point(process::RankGroup& rank_group, const settings::Settings& settings,
                       const planning::RunLength& length, const catalogue::Workload& workload,
                       const WorkloadData& data, StepWatch& watch, const EpochReport& report_epoch,
                       CheckpointOptions checkpoints, const std::filesystem::path& trace_folder) {
  return PointTraining(rank_group, settings, length, workload, data, watch, std::move(checkpoints),
                       {.folder = trace_folder, .steps = settings.measuring.trace_steps})
      .run(report_epoch);
}

}  // namespace scalemark::running
