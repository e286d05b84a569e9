#include "engine/measurement/phases.h"

#include "core/base/error.h"

namespace scalemark::measurement {
namespace {

// The phase that begins at a moment and lasts until the next one.
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

// Whether no more than the begin of each step is marked.
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
    // Between two micro-steps nothing of the optimizer runs: that gap is "other".
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

}  // namespace scalemark::measurement
