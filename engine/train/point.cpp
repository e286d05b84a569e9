#include "engine/train/point.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/catalogue/strategy.h"
#include "core/machine/process_reading.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/machine/topology.h"
#include "engine/device/device.h"
#include "engine/process/machines.h"
#include "engine/train/epochs.h"
#include "engine/train/measured_steps.h"
#include "engine/train/results/over_ranks.h"
#include "engine/train/trace/trace_run.h"
#include "engine/train/workload_data.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

// The schedule's number of steps for a run whose warm-up or window is given in seconds: how many
// steps it will have is known only after the warm-up.
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

// One training of a point on this rank, and its measurements. Captured work runs on `stream`, which
// must outlive all that is made on it.
struct Training {
  TrainingRanks ranks;
  std::optional<device::OwnStream> stream;
  monitoring::Sampler* telemetry = nullptr;  // owned by the process
  Trainer trainer;
  reporting::RankMeasurement measured;
};

void describe_rank(process::RankGroup& rank_group, reporting::RankMeasurement& measured) {
  reporting::RankRecord& record = measured.record;
  record.rank = rank_group.global_rank();
  record.host = rank_group.context().host();
  record.device = rank_group.device().name();
  record.uuid = rank_group.device().identity();
  record.cpus = monitoring::allowed_cpus();
  record.memory_node = monitoring::preferred_memory_node();
  const monitoring::CgroupLimits limits = monitoring::cgroup_limits();
  record.cpu_limit = limits.cpus;
  record.memory_limit_bytes = limits.memory_bytes;
  measured.machine = monitoring::machine_id();
  measured.cpu_group = monitoring::cpu_group_id();
  measured.setup_s.rendezvous_s = rank_group.rendezvous_s();
}

void set_up(const PointContext& point, Training& training) {
  process::RankGroup& rank_group = point.rank_group;
  device::Device& device = rank_group.device();
  training.ranks = training_ranks_of(point.settings, rank_group.world());
  training.measured.serves = training.ranks.serves();
  describe_rank(rank_group, training.measured);
  if (point.settings.parallel.cuda_graphs) training.stream.emplace(device);
  device.reset_memory_peak();
  training.telemetry = &process::fresh_telemetry(rank_group.context(), rank_group.leads_node());
  // This stretch ends with a window that is too short by itself; other windows begin a new stretch.
  if (!point.settings.measuring.epochs) training.telemetry->begin();

  point.watch.enter("model");
  const auto start = Clock::now();
  const bool exchanges = catalogue::exchanges(point.settings.parallel.strategy);
  const std::int64_t planned =
      planned_steps(rank_group, point.settings, training.ranks, point.workload, point.data);
  training.trainer =
      make_trainer(point.settings, point.data.shape, device,
                   exchanges ? rank_group.group() : nullptr, training.ranks, planned);
  if (auto* events = point.watch.events(); events && point.settings.measuring.epochs)
    events->plan(planned);
  device.synchronize();
  // Frees what only the construction took: a copy of all parameters for the broadcast, the
  // flattened parameters' old places. Otherwise it would add to the peak of steps, which have no
  // blocks of that size.
  device.release_cached_memory();
  training.measured.setup_s.model_s = seconds_since(start);
}

Window train(const PointContext& point, Training& training, CheckpointOptions options,
             const EpochReport& report_epoch, PointOutcome& outcome) {
  process::RankGroup& rank_group = point.rank_group;
  point.watch.enter("epochs");
  Checkpoints checkpoints(std::move(options), rank_group.control());
  Histograms histograms(point.settings, rank_group.control(), point.watch, training.trainer);
  auto result = train_epochs({.trainer = training.trainer,
                              .train = *point.data.train,
                              .held_out = *point.data.held_out,
                              .device = rank_group.device(),
                              .control = rank_group.control(),
                              .watch = point.watch,
                              .checkpoints = checkpoints,
                              .histograms = histograms,
                              .report = report_epoch,
                              .telemetry = training.telemetry},
                             epochs_of(rank_group, point.settings, training.ranks, point.workload));
  outcome.evaluations = std::move(result.evaluations);
  outcome.resumed = std::move(result.resumed);
  outcome.kept = std::move(result.kept);
  training.measured.skipped = records_of(result.skipped);
  training.measured.left_out = result.left_out;
  training.measured.setup_s.data_s = result.data_s;
  note_memory_peak(rank_group.device(), training.measured.record);
  return std::move(result.all);
}

// Adds to what kept the rank from a CPU what its sampler has seen.
void note_stops(reporting::RankMeasurement& measured) {
  auto& scheduling = measured.record.scheduling;
  if (!scheduling || measured.iterations == 0) return;
  const double step_s = measured.record.wall_s / static_cast<double>(measured.iterations);
  for (const auto& source : measured.telemetry) {
    if (source.source == monitoring::kStoppedShare) scheduling->stopped_s = source.mean * step_s;
    if (source.source == monitoring::kThrottledCpus) scheduling->throttled_s = source.mean * step_s;
  }
}

// Collective. Sends this rank's measurements to rank 0.
void gather(const PointContext& point, const Window& window, Training& training,
            PointOutcome& outcome) {
  reporting::RankMeasurement& measured = training.measured;
  const bool is_text = point.workload.data_kind == catalogue::DataKind::kText;
  note_window(window, is_text ? point.data.shape.sequence_length : 0, measured);
  const auto communication = training.trainer.step->strategy().communication();
  measured.payload_bytes_per_step = static_cast<double>(communication.payload_bytes_per_step);
  measured.bucket_bytes.assign(communication.bucket_bytes.begin(),
                               communication.bucket_bytes.end());
  measured.attention_backends = training.trainer.network->attention_backends();
  measured.telemetry = training.telemetry->summaries();
  note_stops(measured);
  if (point.settings.measuring.raw_steps) {
    outcome.raw_steps = raw_steps(window, measured.cost_blocks);
  }
  OverRanks all = over_ranks(std::move(measured), point.rank_group);
  outcome.ranks = std::move(all.ranks);
  outcome.series = std::move(all.series);
}

// A full disk must not lose the measurements.
void save(const PointContext& point, Trainer& trainer, PointOutcome& outcome) {
  if (point.settings.recipe.save.empty()) return;
  trainer.step->strategy().gather_full();
  if (point.rank_group.world().rank != 0) return;
  try {
    workloads::save_weights(*trainer.network, point.settings.recipe.save);
  } catch (const Error& error) {
    outcome.not_saved = error.record();
  }
}

// No rank may leave while others are still in a step.
PointOutcome stopped(const PointContext& point, PointOutcome outcome) {
  outcome.stopped = true;  // the outcome has no row
  if (point.watch.peers_answered()) point.rank_group.control().barrier();
  return outcome;
}

// Takes the last histograms; then the run's events lack only its results. Returns false when a stop
// came in between.
bool finish_events(const PointContext& point, MeasuredSteps& steps) {
  const bool is_measured = !point.settings.measuring.epochs;
  if (is_measured) point.watch.enter("window");
  const bool is_whole = !is_measured || steps.count_histograms();
  point.watch.enter("report");
  if (auto* events = point.watch.events()) events->close();
  return is_whole;
}

}  // namespace

std::int64_t scheduled_steps(const settings::MeasuringSettings& measuring) {
  if (!measuring.iters) return kNominalSteps;
  if (measuring.warmup_iters) return *measuring.warmup_iters + *measuring.iters;
  return std::max(kNominalSteps, *measuring.iters);
}

PointOutcome run_point(const PointContext& point, const EpochReport& report_epoch,
                       CheckpointOptions checkpoints, const std::filesystem::path& trace_folder) {
  Training training;
  set_up(point, training);
  MeasuredSteps steps(point, training.ranks, training.trainer, *training.telemetry,
                      training.measured);
  PointOutcome outcome;
  const Window window = point.settings.measuring.epochs
                            ? train(point, training, std::move(checkpoints), report_epoch, outcome)
                            : steps.run();
  outcome.measuring_s = window.wall_s + steps.beside_window_s();
  point.watch.enter("report");
  if (window.stopped) return stopped(point, std::move(outcome));
  gather(point, window, training, outcome);
  save(point, training.trainer, outcome);
  const auto start = Clock::now();
  // An agreed stop during the steps after the measurement ends only these steps: the row exists.
  if (finish_events(point, steps)) {
    trace_run(point.rank_group, steps.context(),
              {.folder = trace_folder, .steps = point.settings.measuring.trace_steps}, outcome);
  }
  if (!point.watch.peers_answered()) return stopped(point, std::move(outcome));
  outcome.measuring_s += seconds_since(start);
  return outcome;
}

}  // namespace scalemark::running
