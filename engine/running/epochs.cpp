#include "engine/running/epochs.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/running/evaluation.h"

namespace scalemark::running {
namespace {

void append(Window& all, Window&& epoch) {
  all.wall_s += epoch.wall_s;
  all.iterations += epoch.iterations;
  all.steps_per_mark = epoch.steps_per_mark;  // as many steps in each epoch, so the same
  all.steps.insert(all.steps.end(), epoch.steps.begin(), epoch.steps.end());
  all.losses.insert(all.losses.end(), epoch.losses.begin(), epoch.losses.end());
  all.samples += epoch.samples;
  all.padded += epoch.padded;
  all.non_pad_tokens += epoch.non_pad_tokens;
  all.stopped = epoch.stopped;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct EpochTotals {
  double loss = 0;  // mean over the rank's steps
  double wall_s = 0;
  std::int64_t samples = 0;
};

// Loss averaged, samples added, and the slowest wall time over all ranks.
EpochTotals over_ranks(distributed::ControlGroup& control, const EpochTotals& mine) {
  const std::string bytes(reinterpret_cast<const char*>(&mine), sizeof mine);
  EpochTotals all;
  for (const std::string& other : control.all_gather(bytes)) {
    EpochTotals theirs;
    if (other.size() != sizeof theirs) throw bug("a rank sent epoch totals of another size");
    std::memcpy(&theirs, other.data(), sizeof theirs);
    all.loss += theirs.loss / control.world_size();
    all.wall_s = std::max(all.wall_s, theirs.wall_s);
    all.samples += theirs.samples;
  }
  return all;
}

// None behind the epoch's last step, whose micro-batches need not use the loader up.
data::Batch next_of(data::Loader& loader, std::int64_t& left) {
  if (left == 0) return {};
  --left;
  auto loaded = loader.next();
  if (!loaded) throw bug("an epoch ended before its last step");
  return data::to_tensors(loaded->batch, loaded->wait_s);
}

}  // namespace

std::int64_t steps_per_epoch(std::int64_t dataset_size, const EpochsOptions& options) {
  const std::int64_t world = options.sampling.world_size;
  const std::int64_t per_rank =
      options.sampling.drop_last ? dataset_size / world : (dataset_size + world - 1) / world;
  const std::int64_t steps = per_rank / options.sampling.loader.batch_size / options.micro_steps;
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

std::int64_t samples_left_out(std::int64_t dataset_size, const EpochsOptions& options) {
  const std::int64_t trained = steps_per_epoch(dataset_size, options) * options.micro_steps *
                               options.sampling.loader.batch_size * options.sampling.world_size;
  return std::max<std::int64_t>(0, dataset_size - trained);  // what ranks repeat is no sample more
}

EpochsResult train_epochs(Trainer& trainer, const data::Dataset& train,
                          const data::Dataset& held_out, const EpochsOptions& options,
                          device::Device& device, distributed::ControlGroup& control,
                          StepWatch& watch,
                          const std::function<void(const reporting::Evaluation&)>& report) {
  EpochsResult result;
  const std::int64_t steps = steps_per_epoch(train.size(), options);
  for (std::int64_t epoch = 0; epoch < options.epochs && !result.all.stopped; ++epoch) {
    const auto opening = std::chrono::steady_clock::now();
    const auto loader = open_epoch(train, options.sampling, epoch, /*shuffle=*/true);
    if (epoch == 0) result.data_s = seconds_since(opening);
    std::int64_t batches_left = steps * options.micro_steps;
    const StepContext context{.step = *trainer.step,
                              .next_batch = [&] { return next_of(*loader, batches_left); },
                              .micro_steps = options.micro_steps,
                              .device = device,
                              .control = control,
                              .watch = watch};
    const std::int64_t first_step = trainer.step->steps_done();
    Window window = measure(
        context, "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(options.epochs),
        plan_window(context, steps, /*step_s=*/0));
    require_finite(window.losses, first_step);
    add_new(result.skipped, loader->skipped());
    const auto totals = window.stopped ? EpochTotals{}
                                       : over_ranks(control, {.loss = mean(window.losses),
                                                              .wall_s = window.wall_s,
                                                              .samples = window.samples});
    append(result.all, std::move(window));
    if (result.all.stopped) break;
    result.left_out += samples_left_out(train.size(), options);

    trainer.step->sync().before_evaluation();
    const auto held = evaluate(*trainer.network, held_out, options.sampling.loader, device,
                               *trainer.step, control, watch);
    require_finite("the held-out loss", held.loss, std::nullopt);
    add_new(result.skipped, held.skipped);
    result.evaluations.push_back(
        {.epoch = epoch + 1,
         .train_loss = totals.loss,
         .loss = held.loss,
         .metric = options.metric,
         .value = held.accuracy,
         .samples = held.items,
         .samples_per_sec = static_cast<double>(totals.samples) / totals.wall_s});
    report(result.evaluations.back());
  }
  return result;
}

}  // namespace scalemark::running
