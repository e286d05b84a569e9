// Turns the marked moments of a window into step times and phases, as the report has them. Pure:
// works on plain seconds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/reporting/record/records.h"
#include "engine/measurement/step_timer.h"

namespace scalemark::measurement {

using reporting::Phases;

// One Phases per step. A step reaches from its first kStepBegin to that of the next step, the
// last one to the window's final moment (kWindowEnd): phases of a step sum to its time.
//
// `moments` and `seconds` are of equal length, in order of recording; the final entry closes the
// window. Throws bug() when the moments do not form whole steps.
// Source: docs/METRICS.md, "phases_s" and "exposed communication".
std::vector<Phases> split_into_phases(std::span<const Moment> moments,
                                      std::span<const double> seconds);

Phases mean_of(std::span<const Phases> steps);

// The steps of a window: seconds each, and their phases. `phases` is empty where steps run as a
// whole (a captured graph, a collective) and only their kStepBegin is marked.
struct MarkedSteps {
  std::vector<double> step_s;
  std::vector<Phases> phases;
};

// Mean step without its exposed communication. Absent without phases.
std::optional<double> mean_own_s(const MarkedSteps& steps);

// Does as split_into_phases(), for steps that are marked inside or as a whole. Throws bug() when a
// window holds both.
MarkedSteps split_into_steps(std::span<const Moment> moments, std::span<const double> seconds);

}  // namespace scalemark::measurement
