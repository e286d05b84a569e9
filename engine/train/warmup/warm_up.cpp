#include "engine/train/warmup/warm_up.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "core/base/durations.h"
#include "core/plan/estimates.h"
#include "core/statistics/steadiness/steady.h"
#include "engine/step/measurement/bucket_timer.h"
#include "engine/step/measurement/window_timer.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

// A warm-up whose step times still change becomes longer by this share before the next check.
constexpr double kGrowth = 0.25;
constexpr std::int64_t kStepsForMean = 10;

class WarmingUp {
 public:
  WarmingUp(const StepContext& context, const planning::RunLength& length)
      : context_(context), length_(length) {}

  Warmup run() {
    context_.watch.begin("warm-up", length_.warmup_iters, context_.micro_steps);
    context_.watch.count(context_.step);
    run_first_steps();
    // After a stop others may be gone, so no collective is possible.
    if (!result_.stopped) run_least_steps();
    if (!length_.warmup_iters && !result_.stopped && result_.step_s > 0) {
      run_least_seconds();
      run_until_settled();
    }
    result_.seconds = seconds_since(start_);
    return result_;
  }

 private:
  void run_steps(std::int64_t count, measurement::StepMarker& marker) {
    for (std::int64_t i = 0; i < count && !result_.stopped; ++i) {
      const std::int64_t step = context_.step.steps_done();
      result_.stopped = context_.watch.stop_before(step);
      if (result_.stopped) return;
      const at::Tensor loss = run_step(context_, marker);
      if (context_.losses) context_.losses->note(step + 1, loss);
      context_.watch.step_done(step, std::nullopt);
    }
    marker.mark(measurement::Moment::kWindowEnd);
    context_.device.synchronize();
    result_.iterations += count;
  }

  void run_untimed(std::int64_t count) {
    measurement::NoMarker marker;
    run_steps(count, marker);
  }

  void run_timed(std::int64_t count) {
    if (result_.stopped || count == 0) return;
    measurement::StepClock clock(context_.device, count, steps_per_mark_);
    const auto start = Clock::now();
    run_steps(count, clock);
    if (result_.stopped) return;
    const auto step_s = clock.step_s();
    timed_s_.insert(timed_s_.end(), step_s.begin(), step_s.end());
    if (count >= kStepsForMean) result_.step_s = seconds_since(start) / static_cast<double>(count);
  }

  // A limit in seconds needs a first estimate, from the first steps.
  bool is_limited() const { return !length_.warmup_iters && length_.most_warmup_s; }
  std::int64_t asked_steps() const {
    return length_.warmup_iters.value_or(length_.least_warmup_steps);
  }

  // Caches fill, threads start, buckets are rebuilt, a step is captured.
  void run_first_steps() {
    run_untimed(std::min<std::int64_t>(length_.warmup_iters.value_or(1), 1));
    if (result_.iterations > 0) result_.first_step_s = seconds_since(start_);
    run_untimed(is_limited() ? std::max<std::int64_t>(context_.step.first_steps() - 1, 1)
                             : std::max<std::int64_t>(asked_steps() / 2 - 1, 0));
  }

  void run_least_steps() {
    const auto start = Clock::now();
    const std::int64_t before = result_.iterations;
    run_untimed(is_limited() ? affordable_steps() : asked_steps() - before);
    result_.step_s =
        later_step_s(result_.iterations - before, seconds_since(start), result_.first_step_s);
  }

  // Returns how many of the remaining least steps the time allows.
  std::int64_t affordable_steps() {
    const double spent_s = seconds_since(start_);
    const double left_s = std::max(0.0, *length_.most_warmup_s - spent_s);
    const double step_s = spent_s / static_cast<double>(result_.iterations);
    const auto affordable = static_cast<std::int64_t>(left_s / step_s);
    return agree(context_.control,
                 std::clamp<std::int64_t>(
                     affordable, 1, std::max<std::int64_t>(1, length_.least_warmup_steps - 2)));
  }

  void run_least_seconds() {
    const double latest_s = planning::latest_warmup_s(length_);
    const double missing_s = std::min(length_.least_warmup_s, latest_s) - seconds_since(start_);
    // One test takes so many values, so no more are kept.
    steps_per_mark_ = 1 + static_cast<std::int64_t>(latest_s / result_.step_s /
                                                    static_cast<double>(statistics::kMostPoints));
    run_timed(agree(context_.control, static_cast<std::int64_t>(
                                          std::ceil(std::max(0.0, missing_s) / result_.step_s))));
  }

  void run_until_settled() {
    while (!result_.stopped) {
      const bool decides = context_.control.rank() == 0;
      const std::int64_t more = agree(context_.control, decides ? steps_to_settle() : 0);
      if (more == 0) return;
      run_timed(more);
    }
  }

  // Returns 0 when the warm-up is over.
  std::int64_t steps_to_settle() {
    if (timed_s_.size() < statistics::kFewestPoints) return 0;
    result_.settled = statistics::has_settled(timed_s_);
    const double elapsed_s = seconds_since(start_);
    const double left_s = planning::latest_warmup_s(length_) - elapsed_s;
    if (*result_.settled || left_s < result_.step_s) return 0;
    return static_cast<std::int64_t>(
        std::ceil(std::min(left_s, kGrowth * elapsed_s) / result_.step_s));
  }

  const StepContext& context_;
  const planning::RunLength& length_;
  const Clock::time_point start_ = Clock::now();
  std::int64_t steps_per_mark_ = 1;
  std::vector<double> timed_s_;  // seconds per step, or means over steps_per_mark_ steps
  Warmup result_;
};

}  // namespace

Warmup warm_up(const StepContext& context, const planning::RunLength& length) {
  return WarmingUp(context, length).run();
}

double later_step_s(std::int64_t later_steps, double later_s, std::optional<double> first_step_s) {
  return later_steps > 0 ? later_s / static_cast<double>(later_steps) : first_step_s.value_or(0);
}

}  // namespace scalemark::running
