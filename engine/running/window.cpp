#include "engine/running/window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "core/base/durations.h"
#include "engine/measurement/thinning.h"
#include "engine/measurement/window_timer.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

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

// How many steps of the rest of the shortest warm-up the time allows; two steps took `spent_s`, the
// first of them with its lazy initialisation.
std::int64_t affordable_warmup(const StepContext& context, const planning::RunLength& length,
                               double spent_s) {
  const double step_s = spent_s / 2;
  const double left_s = std::max(0.0, *length.most_warmup_s - spent_s);
  const auto affordable = static_cast<std::int64_t>(left_s / step_s);
  return agree(context.control,
               std::clamp<std::int64_t>(affordable, 1,
                                        std::max<std::int64_t>(1, length.least_warmup_steps - 2)));
}

void note_samples(Window& window, const training::Consumed& before,
                  const training::Consumed& after) {
  window.padded = after.padding - before.padding;
  window.samples = after.samples - before.samples - window.padded;
  window.non_pad_tokens = after.non_pad_tokens - before.non_pad_tokens;
}

}  // namespace

Warmup warm_up(const StepContext& context, const planning::RunLength& length) {
  Warmup warmup;
  const auto run = [&](std::int64_t count) {
    warmup.stopped = warmup.stopped || !run_unmeasured(context, count);
    warmup.iterations += count;
  };
  const auto start = Clock::now();
  const auto ended = [&] {
    warmup.seconds = seconds_since(start);
    return warmup;
  };
  context.watch.begin("warm-up", length.warmup_iters, context.micro_steps);
  run(std::min<std::int64_t>(length.warmup_iters.value_or(1), 1));
  if (warmup.iterations > 0) warmup.first_step_s = seconds_since(start);
  const bool limited = !length.warmup_iters && length.most_warmup_s;
  const std::int64_t asked = length.warmup_iters.value_or(length.least_warmup_steps);
  // Caches fill, threads start, buckets are rebuilt; a limit in seconds needs a first estimate.
  run(limited ? 1 : std::max<std::int64_t>(asked / 2 - 1, 0));
  if (warmup.stopped) return ended();  // perhaps without the others: no collective may follow

  const auto settled = Clock::now();
  const std::int64_t before = warmup.iterations;
  run(limited ? affordable_warmup(context, length, seconds_since(start))
              : asked - warmup.iterations);
  warmup.step_s =
      steady_step_s(warmup.iterations - before, seconds_since(settled), warmup.first_step_s);
  if (!length.warmup_iters && !warmup.stopped && warmup.step_s > 0) {
    const double missing_s =
        std::min(length.least_warmup_s, length.most_warmup_s.value_or(length.least_warmup_s)) -
        seconds_since(start);
    run(agree(context.control,
              static_cast<std::int64_t>(std::ceil(std::max(0.0, missing_s) / warmup.step_s))));
  }
  return ended();
}

double steady_step_s(std::int64_t later_steps, double later_s, std::optional<double> first_step_s) {
  return later_steps > 0 ? later_s / static_cast<double>(later_steps) : first_step_s.value_or(0);
}

WindowPlan plan_window(const StepContext& context, std::int64_t steps, double step_s) {
  WindowPlan plan{.steps = steps};
  if (context.device.torch_device().is_cuda()) {
    plan.steps_per_mark = measurement::steps_per_mark(step_s, steps, context.micro_steps);
  }
  return plan;
}

WindowPlan agreed(distributed::ControlGroup& control, const WindowPlan& mine) {
  return {.steps = agree(control, mine.steps),
          .steps_per_mark = agree(control, mine.steps_per_mark)};
}

std::int64_t window_steps(const planning::RunLength& length, double step_s) {
  if (length.iters) return *length.iters;
  if (step_s <= 0) return length.least_steps;
  // A little more than planned: the window's steps may be faster than those of the warm-up.
  const auto enough = static_cast<std::int64_t>(std::ceil(1.1 * length.least_window_s / step_s));
  const std::int64_t steps = std::max(length.least_steps, enough);
  if (!length.most_window_s) return steps;
  const auto affordable = static_cast<std::int64_t>(*length.most_window_s / step_s);
  return std::min(steps, std::max(planning::kFewestSteps, affordable));
}

Window measure(const StepContext& context, const std::string& name, const WindowPlan& plan,
               monitoring::EnergyMeter* energy) {
  Window window{.steps_per_mark = plan.steps_per_mark};
  const auto marks = measurement::make_window_marks(context.device, plan.steps, context.micro_steps,
                                                    plan.steps_per_mark);
  measurement::StepMarker& marker = *marks;
  LossTrace losses(context.device.torch_device(), plan.steps);
  const training::Consumed before = context.step.consumed();
  context.watch.begin(name, plan.steps, context.micro_steps);
  context.device.synchronize();
  context.control.barrier();
  if (energy) energy->begin();

  // ---- timed region: nothing but steps, their marks and one synchronise ----
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < plan.steps; ++i) {
    const std::int64_t step = context.step.steps_done();
    if (context.watch.stop_before(step)) {
      window.stopped = true;
      break;
    }
    losses.push(context.step.run(context.next_batch, marker));
    context.watch.step_done(step, losses.latest());
  }
  marker.mark(measurement::Moment::kWindowEnd);
  context.device.synchronize();
  window.wall_s = seconds_since(start);
  // ---- end of the timed region ----

  if (energy) window.energy_J = energy->joules();
  if (!window.stopped) context.control.barrier();
  note_samples(window, before, context.step.consumed());
  // A rank may have padding only.
  if (window.samples + window.padded > 0) window.steps = marks->steps();
  window.losses = losses.values();
  window.iterations = static_cast<std::int64_t>(window.losses.size());
  return window;
}

}  // namespace scalemark::running
