#include "engine/running/point.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/durations.h"
#include "engine/running/batch_source.h"
#include "engine/running/epochs.h"
#include "engine/running/measurement_wire.h"
#include "engine/running/rank_measurement.h"
#include "engine/running/trainer.h"
#include "engine/running/window.h"
#include "workloads/weights.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmupSecondsCpu = 2;
constexpr double kWarmupSecondsCuda = 10;

// A measured run whose length is given in seconds follows the schedule of a run of this many steps:
// how many it will have is known only after the warm-up.
constexpr std::int64_t kNominalSteps = 1000;

EpochOptions sampling_of(Session& session, const settings::Settings& settings) {
  return {.loader = {.batch_size = settings.size.batch_size,
                     .workers = settings.loading.workers,
                     .on_bad_sample = settings.loading.on_bad_sample == "skip"
                                          ? data::OnBadSample::kSkip
                                          : data::OnBadSample::kFail,
                     .seed = settings.recipe.seed,
                     .allocate = session.device().batch_allocator(settings.loading.pin_memory)},
          .rank = session.world().rank,
          .world_size = session.world().world_size,
          .drop_last = settings.loading.drop_last,
          .seed = settings.recipe.seed};
}

EpochsOptions epochs_of(Session& session, const settings::Settings& settings,
                        const catalogue::Workload& workload) {
  return {.epochs = settings.measuring.epochs.value_or(0),
          .micro_steps = settings.size.gradient_accumulation_steps,
          .sampling = sampling_of(session, settings),
          .metric = workload.metric};
}

std::int64_t planned_steps(Session& session, const settings::Settings& settings,
                           const catalogue::Workload& workload, const WorkloadData& data) {
  const auto& measuring = settings.measuring;
  if (measuring.epochs) {
    return *measuring.epochs *
           steps_per_epoch(data.train->size(), epochs_of(session, settings, workload));
  }
  return measuring.iters ? *measuring.iters + measuring.warmup_iters.value_or(0) : kNominalSteps;
}

// loss = mean over ranks (docs/METRICS.md): the same on every rank's record.
void average_losses(std::vector<reporting::RankMeasurement>& ranks) {
  double first = 0, last = 0;
  for (const auto& rank : ranks) {
    first += rank.loss_first / static_cast<double>(ranks.size());
    last += rank.loss_last / static_cast<double>(ranks.size());
  }
  for (auto& rank : ranks) {
    rank.loss_first = first;
    rank.loss_last = last;
  }
}

class OnePoint {
 public:
  OnePoint(Session& session, const settings::Settings& settings,
           const catalogue::Workload& workload, const WorkloadData& data, StepWatch& watch)
      : session_(session), settings_(settings), workload_(workload), data_(data), watch_(watch) {
    facts_.rank = session.world().rank;
    facts_.host = session.host();
    facts_.device = session.device().name();
    facts_.setup_s.rendezvous_s = session.rendezvous_s();
    if (workload.data_kind == catalogue::DataKind::kText) {
      facts_.tokens_per_sample = data.shape.sequence_length;
    }
  }

  PointOutcome run(const EpochReport& report_epoch) {
    session_.device().reset_memory_peak();
    build();
    PointOutcome outcome;
    const Window window =
        settings_.measuring.epochs ? train(outcome, report_epoch) : measure_steps();
    outcome.stopped = window.stopped;
    session_.progression().enter("report");
    if (outcome.stopped && !watch_.peers_answered()) return outcome;
    if (!outcome.stopped) save();
    gather(window, outcome);
    close();
    return outcome;
  }

 private:
  void build() {
    session_.progression().enter("model");
    const auto start = Clock::now();
    if (settings_.parallel.strategy == "ddp") group_ = session_.open_group("point");
    trainer_ =
        make_trainer(settings_, data_.shape, session_.device(), group_ ? group_->group() : nullptr,
                     planned_steps(session_, settings_, workload_, data_));
    session_.device().synchronize();
    facts_.setup_s.model_s = seconds_since(start);
  }

  Window train(PointOutcome& outcome, const EpochReport& report_epoch) {
    session_.progression().enter("epochs");
    auto result = train_epochs(trainer_, *data_.train, *data_.held_out,
                               epochs_of(session_, settings_, workload_), session_.device(),
                               session_.control(), watch_, report_epoch);
    outcome.evaluations = std::move(result.evaluations);
    facts_.skipped = std::move(result.skipped);
    facts_.setup_s.data_s = result.data_s;
    if (!result.all.steps.empty()) facts_.setup_s.first_step_s = result.all.steps.front().sum();
    return std::move(result.all);
  }

  Window measure_steps() {
    session_.progression().enter("data");
    const auto start = Clock::now();
    const auto source = open_source();
    facts_.setup_s.data_s = seconds_since(start);

    const StepContext context{.step = *trainer_.step,
                              .next_batch = [&] { return source->next(); },
                              .micro_steps = settings_.size.gradient_accumulation_steps,
                              .device = session_.device(),
                              .control = session_.control(),
                              .watch = watch_};
    session_.progression().enter("warmup");
    const bool on_gpu = session_.device().torch_device().is_cuda();
    const Warmup warmup = warm_up(context, settings_.measuring.warmup_iters,
                                  on_gpu ? kWarmupSecondsCuda : kWarmupSecondsCpu);
    facts_.setup_s.first_step_s = warmup.first_step_s;
    facts_.warmup_iterations = warmup.iterations;
    if (warmup.stopped) return Window{.stopped = true};

    session_.progression().enter("window");
    const auto steps = std::stoll(session_.control().broadcast(std::to_string(
        window_steps(settings_.measuring.iters, settings_.measuring.min_time_s, warmup.step_s))));
    Window window = measure(context, "window", steps);
    require_finite(window.losses, warmup.iterations);
    facts_.skipped = source->skipped();
    return window;
  }

  std::unique_ptr<BatchSource> open_source() {
    if (data_.train) return endless_epochs(*data_.train, sampling_of(session_, settings_));
    return cached_batches(
        synthetic_batches(settings_, workload_, data_.shape, session_.world().rank,
                          session_.device().batch_allocator(settings_.loading.pin_memory)));
  }

  void save() {
    if (settings_.recipe.save.empty() || session_.world().rank != 0) return;
    workloads::save_weights(*trainer_.network, settings_.recipe.save);
  }

  void gather(const Window& window, PointOutcome& outcome) {
    facts_.memory_peak_bytes = session_.device().memory_peak_bytes();
    facts_.communication = trainer_.step->sync().communication();
    for (const std::string& bytes :
         session_.control().gather(to_wire(rank_measurement(window, facts_)))) {
      outcome.ranks.push_back(from_wire(bytes));
    }
    average_losses(outcome.ranks);
  }

  // Everything that holds the group goes before it, and the group before the next point.
  void close() {
    trainer_ = {};
    if (!group_) return;
    session_.control().barrier();
    group_->close();
  }

  Session& session_;
  const settings::Settings& settings_;
  const catalogue::Workload& workload_;
  const WorkloadData& data_;
  StepWatch& watch_;
  RankFacts facts_;
  std::unique_ptr<distributed::PointGroup> group_;
  Trainer trainer_;
};

}  // namespace

PointOutcome run_point(Session& session, const settings::Settings& settings,
                       const catalogue::Workload& workload, const WorkloadData& data,
                       StepWatch& watch, const EpochReport& report_epoch) {
  return OnePoint(session, settings, workload, data, watch).run(report_epoch);
}

}  // namespace scalemark::running
