#include "engine/train/window.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/durations.h"
#include "core/base/wire.h"
#include "core/machine/process_reading.h"
#include "core/plan/estimates.h"
#include "engine/step/measurement/range_marker.h"
#include "engine/step/measurement/window_timer.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

void note_samples(Window& window, const training::Consumed& before,
                  const training::Consumed& after) {
  window.padded = after.padding - before.padding;
  window.samples = after.samples - before.samples - window.padded;
  window.non_pad_tokens = after.non_pad_tokens - before.non_pad_tokens;
}

// Returns the number of marked micro-steps: 0 where a step is marked as a whole.
std::int64_t marked_micro_steps(const StepContext& context) {
  return context.step.runs_as_a_whole() ? 0 : context.micro_steps;
}

}  // namespace

std::int64_t agree(distributed::ControlGroup& control, std::int64_t mine) {
  return std::stoll(control.broadcast(std::to_string(mine)));
}

at::Tensor run_step(const StepContext& context, measurement::StepMarker& marker) {
  at::Tensor loss = context.step.run(context.next_batch, marker);
  const std::int64_t every = context.empty_cache_every;
  if (every > 0 && context.step.steps_done() % every == 0) context.device.release_cached_memory();
  return loss;
}

bool run_watched(const StepContext& context, measurement::StepMarker& marker) {
  const std::int64_t step = context.step.steps_done();
  if (context.watch.stop_before(step)) return false;
  run_step(context, marker);
  context.watch.step_done(step, std::nullopt);
  return true;
}

WindowPlan plan_window(const StepContext& context, std::int64_t steps, double step_s) {
  WindowPlan plan{.steps = steps};
  if (context.device.torch_device().is_cuda()) {
    plan.steps_per_mark = measurement::steps_per_mark(step_s, steps, marked_micro_steps(context));
  }
  return plan;
}

WindowPlan agreed(distributed::ControlGroup& control, const WindowPlan& mine) {
  return from_wire<WindowPlan>(control.broadcast(to_wire(mine)));
}

std::int64_t window_steps(const planning::RunLength& length, double step_s) {
  if (length.iters) return *length.iters;
  if (step_s <= 0) return length.least_steps;
  // A little more than planned, as the window's steps may be faster than those of the warm-up.
  const auto enough = static_cast<std::int64_t>(
      std::ceil(planning::kWindowMargin * length.least_window_s / step_s));
  const std::int64_t steps = std::max(length.least_steps, enough);
  if (!length.most_window_s) return steps;
  const auto affordable = static_cast<std::int64_t>(*length.most_window_s / step_s);
  return std::min(steps, std::max(planning::kFewestSteps, affordable));
}

Window measure(const StepContext& context, const std::string& name, const WindowPlan& plan,
               const WindowMeters& meters) {
  Window window{.steps_per_mark = plan.steps_per_mark};
  const auto marks = measurement::make_window_marks(
      context.device, plan.steps, marked_micro_steps(context), plan.steps_per_mark);
  std::optional<measurement::RangeMarker> ranges;
  if (meters.profiler) {
    ranges.emplace(*marks, *meters.profiler, marked_micro_steps(context),
                   context.step.steps_done());
  }
  measurement::StepMarker& marker =
      ranges ? static_cast<measurement::StepMarker&>(*ranges) : *marks;
  LossTrace losses(context.device.torch_device(), plan.steps, context.step.losses());
  const training::Consumed before = context.step.consumed();
  const std::int64_t first_step = context.step.steps_done();
  context.watch.begin(name, plan.steps, context.micro_steps);
  context.watch.count(context.step);
  context.device.synchronize();
  if (meters.profiler) meters.profiler->start();
  const auto before_barrier = Clock::now();
  const auto schedules = monitoring::schedules_of_threads();
  const std::int64_t faults = monitoring::major_faults();
  context.control.barrier();
  if (meters.telemetry) meters.telemetry->begin();  // it reads in a thread of its own
  if (meters.energy) meters.energy->begin();

  // ---- timed region: nothing but steps, their marks and one synchronise ----
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < plan.steps; ++i) {
    const std::int64_t step = context.step.steps_done();
    if (context.watch.stop_before(step)) {
      window.stopped = true;
      break;
    }
    losses.push(run_step(context, marker));
    context.watch.step_done(step, losses.latest());
  }
  marker.mark(measurement::Moment::kWindowEnd);
  context.device.synchronize();
  window.wall_s = seconds_since(start);
  // ---- end of the timed region ----

  if (meters.energy) window.energy_J = meters.energy->joules();
  if (meters.telemetry) meters.telemetry->end();
  if (meters.profiler) meters.profiler->stop();
  window.schedule =
      monitoring::growth_of(schedules, monitoring::schedules_of_threads(), ::gettid());
  window.major_faults = monitoring::major_faults() - faults;
  if (!window.stopped) context.control.barrier();
  window.around_s = seconds_since(before_barrier);
  note_samples(window, before, context.step.consumed());
  window.losses = losses.values();
  if (auto* events = context.watch.events()) events->add_losses(first_step, window.losses);
  window.iterations = static_cast<std::int64_t>(window.losses.size());
  if (window.iterations > 0) window.steps = marks->steps();
  return window;
}

}  // namespace scalemark::running
