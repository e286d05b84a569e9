#include "engine/step/measurement/window_timer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace scalemark::measurement {
namespace {

// Returns the phase that begins at a moment and lasts until the next one.
double Phases::*phase_after(Moment moment) {
  switch (moment) {
    case Moment::kStepBegin:
      return &Phases::data_wait;
    case Moment::kBatchReady:
      return &Phases::host_to_device;
    case Moment::kOnDevice:
      return &Phases::exposed_communication;
    case Moment::kForwardBegin:
      return &Phases::forward;
    case Moment::kForwardEnd:
      return &Phases::backward;
    case Moment::kLastBucketReady:
      return &Phases::exposed_communication;
    case Moment::kBackwardEnd:
      return &Phases::optimizer;
    case Moment::kUpdateEnd:
      return &Phases::exposed_communication;
    case Moment::kStepEnd:
      return &Phases::other;
    case Moment::kWindowEnd:
      break;
  }
  throw bug("a window was closed before its last step ended");
}

bool begins_step(std::span<const Moment> moments, std::size_t i) {
  return moments[i] == Moment::kStepBegin && (i == 0 || moments[i - 1] == Moment::kStepEnd);
}

void require_whole_steps(std::span<const Moment> moments, std::span<const double> seconds) {
  if (moments.size() != seconds.size()) throw bug("moments and times differ in number");
  if (moments.empty()) return;
  if (moments.front() != Moment::kStepBegin || moments.back() != Moment::kWindowEnd) {
    throw bug("a window's marks must reach from a step's begin to the window's end");
  }
}

// Whether only the begin of each step is marked.
bool marked_as_a_whole(std::span<const Moment> moments) {
  return moments.size() > 1 && moments[1] != Moment::kBatchReady;
}

}  // namespace

std::vector<Phases> split_into_phases(std::span<const Moment> moments,
                                      std::span<const double> seconds) {
  require_whole_steps(moments, seconds);
  std::vector<Phases> steps;
  if (moments.empty()) return steps;
  for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
    if (begins_step(moments, i)) steps.emplace_back();
    // Between two micro-steps no part of the optimizer runs, so that gap is "other".
    const bool next_micro_step =
        moments[i] == Moment::kBackwardEnd && moments[i + 1] == Moment::kStepBegin;
    const auto phase = next_micro_step ? &Phases::other : phase_after(moments[i]);
    steps.back().*phase += seconds[i + 1] - seconds[i];
  }
  return steps;
}

MarkedSteps split_into_steps(std::span<const Moment> moments, std::span<const double> seconds) {
  require_whole_steps(moments, seconds);
  MarkedSteps steps;
  if (marked_as_a_whole(moments)) {
    for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
      if (moments[i] != Moment::kStepBegin) throw bug("only some steps are marked inside");
      steps.step_s.push_back(seconds[i + 1] - seconds[i]);
    }
    return steps;
  }
  steps.phases = split_into_phases(moments, seconds);
  for (const Phases& step : steps.phases) steps.step_s.push_back(step.sum());
  return steps;
}

Phases mean_of(std::span<const Phases> steps) {
  Phases mean;
  if (steps.empty()) return mean;
  const auto n = static_cast<double>(steps.size());
  for (const auto& [name, phase] : reporting::kPhases) {
    for (const Phases& step : steps) mean.*phase += step.*phase;
    mean.*phase /= n;
  }
  return mean;
}

std::optional<double> mean_own_s(const MarkedSteps& steps) {
  if (steps.phases.empty()) return std::nullopt;
  const Phases mean = mean_of(steps.phases);
  return mean.sum() - mean.exposed_communication;
}

namespace {

// Counts the marks of one step and the one at which the next step begins.
std::int64_t events_per_marked_step(std::int64_t micro_steps) {
  return micro_steps * kMomentsPerMicroStep + 1;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Returns the marked step's phases, scaled to a step that takes `step_s`.
Phases scaled_to(Phases marked, double step_s) {
  const double whole = marked.sum();
  if (!(whole > 0)) return {.other = step_s};
  for (const auto& [name, phase] : reporting::kPhases) {
    marked.*phase *= step_s / whole;
  }
  return marked;
}

}  // namespace

std::int64_t events_of(std::int64_t groups, std::int64_t micro_steps) {
  return groups * events_per_marked_step(micro_steps) + 1;
}

std::int64_t steps_per_mark(double step_s, std::int64_t steps, std::int64_t micro_steps) {
  const std::int64_t events = events_per_marked_step(micro_steps);
  std::int64_t wanted = ceil_div(steps * events, kMostEvents);
  if (step_s > 0) {
    const double marks_s = kSecondsPerEvent * static_cast<double>(events);
    wanted = std::max(wanted, static_cast<std::int64_t>(std::ceil(marks_s / kMarkBudget / step_s)));
  }
  if (steps < 1 || wanted <= 1) return 1;
  const std::int64_t groups = std::max<std::int64_t>(1, steps / wanted);
  return steps / groups;
}

MarkedSteps split_thinned(std::span<const Moment> moments, std::span<const double> seconds,
                          std::int64_t steps_per_mark) {
  if (moments.size() != seconds.size()) throw bug("moments and times differ in number");
  MarkedSteps groups;
  std::size_t begin = 0;
  while (begin < moments.size() && moments[begin] == Moment::kStepBegin) {
    const auto rest = moments.subspan(begin);
    const auto closed =
        static_cast<std::size_t>(std::ranges::find(rest, Moment::kWindowEnd) - rest.begin() + 1);
    const std::size_t next = begin + closed;
    if (next >= moments.size()) break;
    const auto marked = split_into_steps(rest.first(closed), seconds.subspan(begin, closed));
    if (marked.step_s.size() != 1) throw bug("a marked step was not closed before the next one");
    const double step_s = (seconds[next] - seconds[begin]) / static_cast<double>(steps_per_mark);
    groups.step_s.push_back(step_s);
    if (!marked.phases.empty()) groups.phases.push_back(scaled_to(marked.phases[0], step_s));
    begin = next;
  }
  return groups;
}

WindowTimer::WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps)
    : timeline_(device.new_timeline()) {
  const auto count = static_cast<std::size_t>(
      steps * (micro_steps * kMomentsPerMicroStep + kMomentsAfterUpdate) + 1);
  timeline_->reserve(count);
  moments_.reserve(count);
}

MarkedSteps WindowTimer::steps() const { return split_into_steps(moments_, timeline_->seconds()); }

ThinnedTimer::ThinnedTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps,
                           std::int64_t steps_per_mark)
    : timeline_(device.new_timeline()),
      steps_per_mark_(steps_per_mark),
      steps_in_groups_(steps / steps_per_mark * steps_per_mark) {
  const std::int64_t groups = steps / steps_per_mark;
  const auto count =
      static_cast<std::size_t>(events_of(groups, micro_steps) + groups * kMomentsAfterUpdate);
  timeline_->reserve(count);
  moments_.reserve(count);
}

void ThinnedTimer::mark(Moment moment) {
  if (moment == Moment::kWindowEnd) return close();
  if (moment == Moment::kStepBegin && !in_micro_steps_) begin_step();
  if (marking_) put(moment);
  in_micro_steps_ = moment == Moment::kBackwardEnd;
}

void ThinnedTimer::begin_step() {
  if (begun_ == steps_in_groups_) close();
  const std::int64_t in_group = begun_++ % steps_per_mark_;
  if (in_group == 1 && marking_) put(Moment::kWindowEnd);
  marking_ = in_group == 0 && begun_ <= steps_in_groups_;
}

// Closes the window once, and only after the last whole group.
void ThinnedTimer::close() {
  if (begun_ == steps_in_groups_) put(Moment::kWindowEnd);
}

void ThinnedTimer::put(Moment moment) {
  timeline_->record();
  moments_.push_back(moment);
}

MarkedSteps ThinnedTimer::steps() const {
  return split_thinned(moments_, timeline_->seconds(), steps_per_mark_);
}

std::unique_ptr<WindowMarks> make_window_marks(device::Device& device, std::int64_t steps,
                                               std::int64_t micro_steps,
                                               std::int64_t steps_per_mark) {
  if (steps_per_mark == 1) return std::make_unique<WindowTimer>(device, steps, micro_steps);
  return std::make_unique<ThinnedTimer>(device, steps, micro_steps, steps_per_mark);
}

}  // namespace scalemark::measurement
