#include "engine/train/epochs.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/step/copy_ahead.h"
#include "engine/train/evaluation.h"

namespace scalemark::running {
namespace {

// A run that was asked to end has 9 s until it is over (rank_process.cpp); an agreement may take 4.
constexpr double kStopS = 4;

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append(Window& all, const Window& stretch, std::int64_t epoch) {
  all.wall_s += stretch.wall_s;
  all.around_s += stretch.around_s;
  all.stretches.push_back({.wall_s = stretch.wall_s,
                           .steps = stretch.iterations,
                           .entries = std::ssize(stretch.steps.step_s),
                           .epoch = epoch});
  all.iterations += stretch.iterations;
  // Every epoch has equally many steps, so this is always the same.
  all.steps_per_mark = stretch.steps_per_mark;
  append(all.steps.step_s, stretch.steps.step_s);
  append(all.steps.phases, stretch.steps.phases);
  append(all.losses, stretch.losses);
  all.samples += stretch.samples;
  all.padded += stretch.padded;
  all.non_pad_tokens += stretch.non_pad_tokens;
  add(all.schedule, stretch.schedule, /*is_first=*/all.stretches.size() == 1);
  all.major_faults += stretch.major_faults;
  all.stopped = stretch.stopped;
}

struct EpochTotals {
  double loss = 0;  // mean over all samples
  double wall_s = 0;
  std::int64_t samples = 0;
};

using Loaders = std::vector<std::unique_ptr<data::Loader>>;  // one for each rank of this process

// Returns an empty batch after the epoch's last step; the loaders may still hold batches then.
data::Batch next_of(const Loaders& loaders, bool pinned, std::int64_t& left) {
  if (left == 0) return {};
  --left;
  std::vector<data::Batch> parts;
  for (const auto& loader : loaders) {
    auto loaded = loader->next();
    if (!loaded) throw bug("an epoch ended before its last step");
    parts.push_back(data::to_tensors(loaded->batch, loaded->wait_s));
  }
  return training::join(std::move(parts), pinned);
}

// A process's measurements of one epoch, summed over stretches and sessions; those of the epoch are
// their sums over processes. They are one tensor, so that a checkpoint holds it.
class EpochPart {
 public:
  // `slowest_s`: the wall time of the stretch on the slowest rank. `of_a_step`: the samples of a
  // step that this process trains on.
  void add(const Window& window, double slowest_s, std::int64_t of_a_step, int processes) {
    auto* values = sums_.mutable_data_ptr<double>();
    const auto weight = static_cast<double>(of_a_step);
    for (const double loss : window.losses) values[kLoss] += loss * weight;
    values[kWeight] += static_cast<double>(window.losses.size()) * weight;
    values[kWall] += slowest_s / processes;
    values[kSamples] += static_cast<double>(window.samples);
  }

  // Collective.
  EpochTotals totals(distributed::ControlGroup& control) const {
    const auto* mine = sums_.const_data_ptr<double>();
    std::vector<double> all(mine, mine + kCount);
    control.sum_over_ranks(all);
    return {.loss = all[kWeight] > 0 ? all[kLoss] / all[kWeight] : 0,
            .wall_s = all[kWall],
            .samples = static_cast<std::int64_t>(all[kSamples])};
  }

  // Until version 0.9 a checkpoint held the losses' sum, and the time, of each process by itself.
  void weigh(std::int64_t of_a_step, int processes) {
    auto* values = sums_.mutable_data_ptr<double>();
    values[kLoss] *= static_cast<double>(of_a_step);
    values[kWeight] *= static_cast<double>(of_a_step);
    values[kWall] /= processes;
  }

  void clear() { sums_.zero_(); }
  at::Tensor& state() { return sums_; }

 private:
  enum { kLoss, kWeight, kWall, kSamples, kCount };
  at::Tensor sums_ = at::zeros({kCount}, at::kDouble);
};

class EpochTraining {
 public:
  EpochTraining(const EpochsContext& context, const EpochTrainingOptions& options)
      : in_(context), options_(options), steps_(steps_per_epoch(context.train.size(), options)) {}

  EpochsResult run() {
    if (auto earlier = in_.checkpoints.restore(state())) {
      result_.evaluations = std::move(earlier->evaluation);
      if (!earlier->dealt) part_.weigh(of_a_step(), in_.control.world_size());
      dealt_ = earlier->dealt.value_or((step().steps_done() - epochs_done() * steps_) * global());
    }
    result_.resumed = in_.checkpoints.resumed();
    in_.histograms.count_first_weights();
    for (std::int64_t epoch = epochs_done(); epoch < options_.epochs; ++epoch) {
      const std::int64_t to_deal = in_.train.size() - dealt_;
      const bool checkpoint_due = train(epoch);
      if (result_.all.stopped) {
        keep_what_stopped();
        break;
      }
      result_.left_out += samples_left_out(to_deal, options_);
      dealt_ = 0;
      evaluate_after(epoch);
      const bool ends = epoch + 1 == options_.epochs;
      if (ends || in_.histograms.is_due(step().steps_done(), /*epoch_ends=*/true))
        count_histograms(epoch);
      if (result_.all.stopped) break;
      if (checkpoint_due && epoch + 1 < options_.epochs) write_checkpoint();
    }
    return std::move(result_);
  }

 private:
  training::TrainStep& step() { return *in_.trainer.step; }
  const TrainingRanks& ranks() const { return options_.sampling.ranks; }
  std::int64_t epochs_done() const { return std::ssize(result_.evaluations); }
  // Return the samples of a step over all ranks, and those of this process.
  std::int64_t global() const { return samples_per_step(options_); }
  std::int64_t of_a_step() const { return global() / ranks().world_size * ranks().count; }

  RunState state() {
    return {.step = step(),
            .source = nullptr,
            .device = in_.device.torch_device(),
            .epoch = &part_.state()};
  }

  // Ranks that have not agreed may stand before different steps; within the steps of histograms the
  // state is not the training's.
  void keep_what_stopped() {
    if (!stopped_between_steps_ || !in_.watch.peers_answered()) return;
    result_.kept = in_.checkpoints.write_before_end(state(), result_.evaluations, dealt_, kStopS);
  }

  void write_checkpoint() { in_.checkpoints.write(state(), result_.evaluations, dealt_); }

  Loaders open(std::int64_t epoch, std::int64_t dealt) const {
    Loaders loaders;
    for (int i = 0; i < ranks().count; ++i) {
      SamplingOptions of_rank = options_.sampling;
      of_rank.ranks = ranks().one(i);
      loaders.push_back(open_epoch(in_.train, of_rank, epoch, /*shuffle=*/true, dealt));
    }
    return loaders;
  }

  // Trains the rest of an epoch, stretch by stretch. Returns true when a checkpoint is due after
  // its last step.
  bool train(std::int64_t epoch) {
    const auto opening = std::chrono::steady_clock::now();
    const std::int64_t to_do = steps_in(in_.train.size() - dealt_, options_);
    step().set_schedule_step(epoch * steps_ + dealt_ / global());
    const Loaders loaders = open(epoch, dealt_);
    if (result_.data_s == 0) result_.data_s = seconds_since(opening);
    std::int64_t batches_left = to_do * options_.micro_steps;
    const StepContext context = context_of(loaders, batches_left);
    bool checkpoint_due = false;
    double step_s = 0;
    for (std::int64_t left = to_do; left > 0 && !result_.all.stopped;) {
      if (checkpoint_due) write_checkpoint();
      const Stretch stretch = next_stretch(left, step_s);
      step_s = run_stretch(context, epoch, stretch.steps);
      left -= stretch.steps;
      checkpoint_due = stretch.checkpoint;
      if (left > 0 && !result_.all.stopped &&
          in_.histograms.is_due(step().steps_done(), /*epoch_ends=*/false)) {
        count_histograms(epoch);
      }
    }
    for (const auto& loader : loaders) add_new(result_.skipped, loader->skipped());
    return checkpoint_due;
  }

  StepContext context_of(const Loaders& loaders, std::int64_t& batches_left) {
    return {.step = step(),
            .next_batch = [&] { return next_of(loaders, options_.sampling.pinned, batches_left); },
            .micro_steps = options_.micro_steps,
            .device = in_.device,
            .control = in_.control,
            .watch = in_.watch,
            .empty_cache_every = options_.empty_cache_every};
  }

  // Returns the stretch to the next checkpoint or histogram, whichever comes first.
  Stretch next_stretch(std::int64_t left, double step_s) {
    const std::int64_t done = step().steps_done();
    const Stretch stretch = in_.checkpoints.next_stretch(done, left, step_s);
    const std::int64_t steps = in_.histograms.until_next(done, stretch.steps);
    return {.steps = steps, .checkpoint = stretch.checkpoint && steps == stretch.steps};
  }

  // Repeats the epoch's first batch to show the gradients; afterwards the training continues as if
  // it had not.
  void count_histograms(std::int64_t epoch) {
    if (!in_.histograms.wanted()) return;
    const auto start = std::chrono::steady_clock::now();
    const Loaders loaders = open(epoch, 0);
    std::int64_t batches_left = options_.micro_steps;
    const RunState here = state();
    const bool is_whole = in_.histograms.count(context_of(loaders, batches_left), &here, start);
    // After the last epoch an agreed stop ends only the histograms.
    if (!is_whole && (epoch + 1 < options_.epochs || !in_.watch.peers_answered()))
      result_.all.stopped = true;
  }

  // Returns the seconds per step.
  double run_stretch(const StepContext& context, std::int64_t epoch, std::int64_t steps) {
    const std::int64_t first_step = step().steps_done();
    Window window = measure(
        context, "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(options_.epochs),
        plan_window(context, steps, /*step_s=*/0), {.telemetry = in_.telemetry});
    require_finite(window.losses, first_step);
    dealt_ += (step().steps_done() - first_step) * global();
    part_.add(window, window.stopped ? window.wall_s : slowest(window.wall_s), of_a_step(),
              in_.control.world_size());
    const double step_s = window.wall_s / static_cast<double>(steps);
    stopped_between_steps_ = window.stopped;
    append(result_.all, window, epoch + 1);
    return step_s;
  }

  // Returns the slowest rank's time of one stretch; in the next stretch another rank may be the
  // slowest.
  double slowest(double wall_s) {
    std::vector<double> all{ranks().serves() ? 0 : wall_s};
    in_.control.max_over_ranks(all);
    return all.front();
  }

  void evaluate_after(std::int64_t epoch) {
    const EpochTotals totals = part_.totals(in_.control);
    part_.clear();
    step().strategy().before_evaluation();
    const auto held = evaluate(*in_.trainer.network, in_.held_out, options_.sampling.loader,
                               ranks(), in_.device, step(), in_.control, in_.watch);
    require_finite("the held-out loss", held.loss, std::nullopt);
    add_new(result_.skipped, held.skipped);
    result_.evaluations.push_back(
        {.epoch = epoch + 1,
         .train_loss = totals.loss,
         .loss = held.loss,
         .metric = options_.metric,
         .value = held.accuracy,
         .samples = held.items,
         .samples_per_sec = static_cast<double>(totals.samples) / totals.wall_s});
    if (auto* events = in_.watch.events())
      events->add(result_.evaluations.back(), step().steps_done());
    in_.report(result_.evaluations.back());
  }

  const EpochsContext& in_;
  const EpochTrainingOptions& options_;
  std::int64_t steps_;      // an epoch of these ranks alone has so many
  std::int64_t dealt_ = 0;  // samples of this epoch, on which some ranks have trained
  EpochPart part_;
  bool stopped_between_steps_ = false;
  EpochsResult result_;
};

}  // namespace

std::int64_t samples_per_step(const EpochTrainingOptions& options) {
  return options.micro_steps * options.sampling.loader.batch_size *
         options.sampling.ranks.world_size;
}

std::int64_t steps_in(std::int64_t samples, const EpochTrainingOptions& options) {
  const std::int64_t world = options.sampling.ranks.world_size;
  const std::int64_t left = std::max<std::int64_t>(0, samples);
  const std::int64_t per_rank =
      options.sampling.drop_last ? left / world : (left + world - 1) / world;
  return per_rank / options.sampling.loader.batch_size / options.micro_steps;
}

std::int64_t steps_per_epoch(std::int64_t dataset_size, const EpochTrainingOptions& options) {
  const std::int64_t world = options.sampling.ranks.world_size;
  const std::int64_t steps = steps_in(dataset_size, options);
  if (steps == 0) {
    throw configuration(
        "the data holds " + std::to_string(dataset_size) + " training samples for " +
            std::to_string(world) + " rank(s)",
        "an epoch must hold at least one step of " +
            std::to_string(options.sampling.loader.batch_size * options.micro_steps) +
            " samples per rank",
        "lower --batch-size or use more data");
  }
  return steps;
}

std::int64_t samples_left_out(std::int64_t samples, const EpochTrainingOptions& options) {
  const std::int64_t trained = steps_in(samples, options) * samples_per_step(options);
  return std::max<std::int64_t>(0, samples - trained);  // repeated samples do not count
}

EpochsResult train_epochs(const EpochsContext& context, const EpochTrainingOptions& options) {
  return EpochTraining(context, options).run();
}

}  // namespace scalemark::running
