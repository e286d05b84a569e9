#include "engine/running/window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "core/base/durations.h"
#include "engine/measurement/window_timer.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kLeastWarmupSteps = 20;
constexpr std::int64_t kLeastWindowSteps = 100;
constexpr double kLeastWindowSeconds = 2;

// False when an agreed stop came before all were done.
bool run_unmeasured(const StepContext& context, std::int64_t count) {
  measurement::NoMarker marker;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t step = context.step.steps_done();
    if (context.watch.stop_before(step)) return false;
    context.step.run(context.next_batch, marker);
    context.watch.step_done(step, std::nullopt);
  }
  context.device.synchronize();
  return true;
}

// A number that rank 0 decides.
std::int64_t agree(distributed::ControlGroup& control, std::int64_t mine) {
  return std::stoll(control.broadcast(std::to_string(mine)));
}

}  // namespace

Warmup warm_up(const StepContext& context, std::optional<std::int64_t> iterations,
               double least_seconds) {
  Warmup warmup;
  const std::int64_t asked = iterations.value_or(kLeastWarmupSteps);
  const auto run = [&](std::int64_t count) {
    warmup.stopped = warmup.stopped || !run_unmeasured(context, count);
    warmup.iterations += count;
  };
  context.watch.begin("warm-up", iterations);
  const auto start = Clock::now();
  run(std::min<std::int64_t>(asked, 1));
  warmup.first_step_s = seconds_since(start);
  run(std::max<std::int64_t>(asked / 2 - 1, 0));  // caches fill, threads start, buckets are rebuilt

  const auto settled = Clock::now();
  const std::int64_t before = warmup.iterations;
  run(asked - warmup.iterations);
  warmup.step_s =
      seconds_since(settled) / static_cast<double>(std::max<std::int64_t>(1, asked - before));
  if (iterations || warmup.stopped) return warmup;

  const double missing_s = least_seconds - seconds_since(start);
  run(agree(context.control,
            missing_s <= 0 ? 0 : static_cast<std::int64_t>(std::ceil(missing_s / warmup.step_s))));
  return warmup;
}

std::int64_t window_steps(std::optional<std::int64_t> iterations, double least_seconds,
                          double step_s) {
  if (iterations) return *iterations;
  if (step_s <= 0) return kLeastWindowSteps;
  const double seconds = std::max(kLeastWindowSeconds, least_seconds);
  // A little more than planned: the window's steps may be faster than those of the warm-up.
  const auto enough = static_cast<std::int64_t>(std::ceil(1.1 * seconds / step_s));
  return std::max(kLeastWindowSteps, enough);
}

Window measure(const StepContext& context, const std::string& name, std::int64_t count) {
  Window window;
  measurement::WindowTimer timer(context.device, count, context.micro_steps);
  LossTrace losses(context.device.torch_device(), count);
  const auto next_batch = [&] {
    data::Batch batch = context.next_batch();
    window.samples += batch.samples - batch.padding;
    window.padded += batch.padding;
    window.non_pad_tokens += batch.non_pad_tokens;
    return batch;
  };
  const std::function<data::Batch()> counted_batch = next_batch;
  context.watch.begin(name, count);
  context.device.synchronize();
  context.control.barrier();

  // ---- timed region: nothing but steps, their marks and one synchronise ----
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t step = context.step.steps_done();
    if (context.watch.stop_before(step)) {
      window.stopped = true;
      break;
    }
    losses.push(context.step.run(counted_batch, timer));
    context.watch.step_done(step, losses.latest());
  }
  timer.mark(measurement::Moment::kWindowEnd);
  context.device.synchronize();
  window.wall_s = seconds_since(start);
  // ---- end of the timed region ----

  if (!window.stopped) context.control.barrier();
  window.steps = window.samples == 0 ? std::vector<measurement::PhaseTimes>{} : timer.steps();
  window.losses = losses.values();
  return window;
}

}  // namespace scalemark::running
