// Turns the marked moments of a window into step times and phases. Pure: works on plain seconds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/measurement/step_timer.h"

namespace scalemark::measurement {

// Seconds in each phase of one step, or their mean over steps.
struct PhaseTimes {
  double data_wait = 0;
  double host_to_device = 0;
  double forward = 0;
  double backward = 0;
  double exposed_communication = 0;
  double optimizer = 0;
  double other = 0;

  double sum() const {
    return data_wait + host_to_device + forward + backward + exposed_communication + optimizer +
           other;
  }
};

// One PhaseTimes per step. A step reaches from its first kStepBegin to that of the next step, the
// last one to the window's final moment (kWindowEnd): phases of a step sum to its time.
//
// `moments` and `seconds` are of equal length, in order of recording; the final entry closes the
// window. Throws bug() when the moments do not form whole steps.
// Source: docs/METRICS.md, "phases_s" and "exposed communication".
std::vector<PhaseTimes> split_into_phases(std::span<const Moment> moments,
                                          std::span<const double> seconds);

PhaseTimes mean_of(std::span<const PhaseTimes> steps);

// The steps of a window: seconds each, and their phases. `phases` is empty where steps run as a
// whole (a captured graph, a collective) and only their kStepBegin is marked.
struct MarkedSteps {
  std::vector<double> step_s;
  std::vector<PhaseTimes> phases;
};

// Mean step without its exposed communication. Absent without phases.
std::optional<double> mean_own_s(const MarkedSteps& steps);

// Does as split_into_phases(), for steps that are marked inside or as a whole. Throws bug() when a
// window holds both.
MarkedSteps split_into_steps(std::span<const Moment> moments, std::span<const double> seconds);

}  // namespace scalemark::measurement
