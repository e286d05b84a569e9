#include "engine/train/measured_steps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/machine/energy.h"
#include "core/plan/estimates.h"
#include "core/statistics/summary.h"
#include "engine/process/machines.h"
#include "engine/step/measurement/bucket_timer.h"
#include "engine/step/metered_group.h"
#include "engine/train/results/losses.h"
#include "engine/train/warmup/warm_up.h"
#include "engine/train/window.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

struct BucketCourse {
  std::vector<reporting::BucketRecord> buckets;  // medians; empty without any bucket
  bool stopped = false;                          // an agreed stop came in between
};

// Times every gradient bucket in a few steps after the window. These are separate, so that the
// window's measurements include no observer. Collective. `most_buckets` is per step.
BucketCourse time_buckets(const StepContext& context, std::size_t most_buckets) {
  if (context.step.strategy().communication().bucket_bytes.empty()) return {};
  const auto timer = std::make_shared<measurement::BucketTimer>(
      context.device, planning::kBucketSteps, most_buckets);
  context.watch.begin("buckets", planning::kBucketSteps, context.micro_steps);
  context.watch.count(context.step);
  context.device.synchronize();
  context.control.barrier();
  context.step.strategy().observe_buckets(timer);
  BucketCourse course;
  for (std::int64_t i = 0; i < planning::kBucketSteps && !course.stopped; ++i) {
    course.stopped = !run_watched(context, *timer);
  }
  context.step.strategy().observe_buckets(nullptr);
  context.device.synchronize();
  if (!course.stopped) course.buckets = median_of(timer->steps());
  return course;
}

reporting::CostBlock cost_block(const Window& window, std::int64_t steps) {
  return {.step_s = window.wall_s / static_cast<double>(steps),
          .own_s = measurement::mean_own_s(window.steps)};
}

}  // namespace

CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const RunState& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window,
                                                          std::int64_t period) {
  using enum training::Exchange;
  const std::int64_t steps = planning::cost_block_steps(window.steps, period);
  // Marked like the window, so that both include the marks' own cost and can be compared.
  const WindowPlan block_plan{.steps = steps,
                              .steps_per_mark = std::min(window.steps_per_mark, steps)};
  const workloads::NamedTensors before = copy_of(state);
  CommunicationCostBlocks result;
  const auto block = [&](training::Exchange exchange, const char* name) {
    if (result.stopped) return;
    context.step.strategy().set_exchange(exchange);
    const Window measured = measure(context, name, block_plan);
    result.stopped = measured.stopped;
    result.blocks.push_back(cost_block(measured, steps));
  };
  for (std::int64_t i = 0; i < planning::kCostBlocks; i += 4) {
    block(usual, "with communication");
    block(kNone, "without communication");
    block(kNone, "without communication");
    block(usual, "with communication");
  }
  put_back(before, state, "the state before the measurement");
  return result;
}

namespace {

using Clock = std::chrono::steady_clock;

// True for a GPU's gradients over a CPU backend: no stream of the GPU has their ends.
bool exchanges_through_the_host(const PointContext& point) {
  return point.rank_group.device().torch_device().is_cuda() &&
         !catalogue::needs_one_rank_per_gpu(point.settings.parallel.backend);
}

}  // namespace

Window MeasuredSteps::run() {
  device::Device& device = point_.rank_group.device();
  point_.watch.enter("data");
  const auto start = Clock::now();
  if (!ranks_.serves()) {
    source_ = open_source(device, point_.settings, point_.workload, point_.data, ranks_);
  }
  measured_.setup_s.data_s = seconds_since(start);

  LossCourse losses;
  const StepContext steps = context(&losses);
  histograms_.count_first_weights();
  point_.watch.enter("warmup");
  const Warmup warmup = warm_up(steps, point_.length);
  beside_window_s_ = warmup.seconds;
  measured_.warmup_iterations = warmup.iterations;
  measured_.warmup_settled = warmup.settled;
  if (warmup.stopped) return Window{.stopped = true};

  point_.watch.enter("window");
  const std::int64_t period = settings::exchange_period(point_.settings);
  WindowPlan mine = plan_window(
      steps, planning::whole_periods(window_steps(point_.length, warmup.step_s), period),
      warmup.step_s);
  // A window may become far shorter than planned when others stop using the machine.
  mine.brief = static_cast<double>(mine.steps) * warmup.step_s <
               2 * process::least_watched_s(point_.rank_group.world().local_world_size);
  const WindowPlan plan = agreed(point_.rank_group.control(), mine);
  // A long window is watched by itself, without the time before it.
  if (!plan.brief) {
    telemetry_.end();
    telemetry_.clear();
  }
  const auto energy = open_energy();
  const auto profiler =
      point_.settings.measuring.profiler_range ? device.outer_profiler() : nullptr;
  Window window = measure(steps, "window", plan,
                          {.energy = energy.get(),
                           .telemetry = plan.brief ? nullptr : &telemetry_,
                           .profiler = profiler.get()});
  if (plan.brief) watch_longer();
  // Without a warm-up the first step is in the window.
  if (warmup.first_step_s) measured_.setup_s.first_step_s = *warmup.first_step_s;
  require_finite(window.losses, warmup.iterations);
  note_memory_peak(device, measured_.record);
  measured_.loss_course = losses.with_window(warmup.iterations, window.losses);
  if (!window.stopped) window.stopped = !time_gradient_buckets(steps);
  if (!window.stopped) time_exchange_alone();
  if (settings::measures_communication_cost(point_.settings) && !window.stopped) {
    window.stopped = !measure_communication_cost(steps, plan);
  }
  if (source_) measured_.skipped = records_of(source_->skipped());
  return window;
}

void MeasuredSteps::watch_longer() {
  constexpr double kLongest_s = 0.3;
  process::wait_until_watched(point_.rank_group.world().local_world_size, watched_since_,
                              kLongest_s);
  telemetry_.end();
}

// The weights of a strategy that averages them are averaged first, as for --save.
bool MeasuredSteps::count_histograms() {
  if (!histograms_.wanted()) return true;
  const auto start = Clock::now();
  trainer_.step->strategy().gather_full();
  return histograms_.count(context(), nullptr, start);
}

StepContext MeasuredSteps::context(LossCourse* losses) {
  return {.step = *trainer_.step,
          .next_batch = [this] { return source_->next(); },
          .micro_steps = point_.settings.size.gradient_accumulation_steps,
          .device = point_.rank_group.device(),
          .control = point_.rank_group.control(),
          .watch = point_.watch,
          .losses = losses,
          .empty_cache_every = point_.settings.parallel.empty_cache_every};
}

// Returns false when an agreed stop came in between. For --save the state after the window is
// restored. A step that runs as a whole reports no buckets.
bool MeasuredSteps::time_gradient_buckets(const StepContext& context) {
  if (exchanges_through_the_host(point_) || trainer_.step->runs_as_a_whole()) return true;
  const auto start = Clock::now();
  workloads::NamedTensors before;
  if (!point_.settings.recipe.save.empty()) before = copy_of(state());
  BucketCourse course = time_buckets(context, trainer_.parameters.size());
  if (!before.empty()) put_back(before, state(), "the state after the window");
  beside_window_s_ += seconds_since(start);
  measured_.bucket_timeline = std::move(course.buckets);
  return !course.stopped;
}

namespace {

constexpr double kSmallest = 4;  // bytes of the all-reduce that shows the latency

// The payload of one bucket, of zeros, so that sums stay what they are. Collective; empty where any
// rank has no memory for the largest one.
at::Tensor space_for_buckets(const PointContext& point, const std::vector<double>& bytes) {
  const auto compressed = training::compressed_type(point.settings.parallel.gradient_compression);
  const auto options = at::TensorOptions(point.rank_group.device().torch_device())
                           .dtype(compressed.value_or(at::kFloat));
  at::Tensor space;
  try {
    const double largest = bytes.empty() ? kSmallest : *std::ranges::max_element(bytes);
    const auto size = static_cast<double>(options.dtype().itemsize());
    space = at::zeros({std::llround(std::max(kSmallest, largest) / size)}, options);
  } catch (const c10::OutOfMemoryError&) {
  } catch (const std::bad_alloc&) {
  }
  const auto all = distributed::gathered(point.rank_group.control(), space.defined());
  return std::ranges::all_of(all, std::identity()) ? space : at::Tensor();
}

}  // namespace

// Shows what the link needs for a step's all-reduces by itself, and for the smallest one, so that a
// slow exchange can be told from waits within a step. All ranks begin together.
void MeasuredSteps::time_exchange_alone() {
  const auto& parallel = point_.settings.parallel;
  const bool is_one_sum = catalogue::sums_everything(parallel.strategy) &&
                          settings::exchange_period(point_.settings) == 1;
  const auto& group = point_.rank_group.group();
  if (!catalogue::exchanges(parallel.strategy) || !group || group->getSize() < 2 ||
      exchanges_through_the_host(point_) || trainer_.step->runs_as_a_whole())
    return;
  const auto start = Clock::now();
  std::vector<double> bytes;
  if (is_one_sum) {
    for (const std::int64_t bucket : trainer_.step->strategy().communication().bucket_bytes)
      bytes.push_back(static_cast<double>(bucket));
  }
  const at::Tensor space = space_for_buckets(point_, bytes);
  if (!space.defined()) return;
  device::Device& device = point_.rank_group.device();
  const auto exchange = [&](const std::vector<double>& sizes) {
    device.synchronize();
    point_.rank_group.control().barrier();
    const auto begin = Clock::now();
    for (const double size : sizes) {
      const auto numbers = static_cast<std::int64_t>(size) / space.element_size();
      std::vector<at::Tensor> tensors{space.narrow(0, 0, std::max<std::int64_t>(1, numbers))};
      group->allreduce(tensors)->wait();
    }
    device.synchronize();
    return seconds_since(begin);
  };
  const auto median = [&](const std::vector<double>& sizes, std::int64_t times) {
    std::vector<double> seconds;
    for (std::int64_t i = 0; i < times; ++i) seconds.push_back(exchange(sizes));
    return statistics::median(seconds);
  };
  constexpr std::int64_t kSmallOnes = 21;
  measured_.exchange_latency_s = median({kSmallest}, kSmallOnes);
  if (!bytes.empty()) measured_.exchange_alone_s = median(bytes, planning::kExchangesAlone);
  beside_window_s_ += seconds_since(start);
}

// Returns false when an agreed stop came in between.
bool MeasuredSteps::measure_communication_cost(const StepContext& context,
                                               const WindowPlan& window) {
  const auto start = Clock::now();
  const auto usual = point_.settings.parallel.overlap ? training::Exchange::kOverlapped
                                                      : training::Exchange::kAfterwards;
  CommunicationCostBlocks cost = measure_communication_cost_blocks(
      context, state(), usual, window, settings::exchange_period(point_.settings));
  beside_window_s_ += seconds_since(start);
  if (!cost.stopped) measured_.cost_blocks = std::move(cost.blocks);
  return !cost.stopped;
}

RunState MeasuredSteps::state() const {
  return {.step = *trainer_.step,
          .source = source_.get(),
          .device = point_.rank_group.device().torch_device()};
}

// Returns the counters that this rank reads: its GPU's, or its machine's CPU packages. Several GPUs
// have none, since one GPU's counters would give a part of the energy for all of the samples.
std::unique_ptr<monitoring::EnergyMeter> MeasuredSteps::open_energy() const {
  device::Device& device = point_.rank_group.device();
  if (device.torch_device().is_cuda()) {
    return ranks_.count > 1 ? nullptr : monitoring::open_gpu_energy(device.identity());
  }
  return point_.rank_group.leads_node() ? monitoring::open_cpu_energy() : nullptr;
}

void note_memory_peak(device::Device& device, reporting::RankRecord& record) {
  record.memory_peak_bytes = device.memory_peak_bytes();
  record.memory_reserved_bytes = device.memory_reserved_bytes();
}

std::vector<reporting::SkippedFile> records_of(const std::vector<data::SkippedSample>& skipped) {
  std::vector<reporting::SkippedFile> records;
  for (const auto& sample : skipped) records.push_back({sample.name, sample.reason});
  return records;
}

}  // namespace scalemark::running
