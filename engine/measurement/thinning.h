// How often steps are marked where marks would change what they measure, and what single steps'
// marks then say of all. Pure: works on plain numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/measurement/phases.h"

namespace scalemark::measurement {

// What recording one CUDA event costs the host, and the share of a step that marks may cost. Of a
// step of 60 microseconds the eight marks would be a fifth.
inline constexpr double kSecondsPerEvent = 1.5e-6;
inline constexpr double kMarkBudget = 0.01;

// Events of one window: each is an object of the driver's, made before the window opens.
inline constexpr std::int64_t kMostEvents = 100'000;

// Every how manyth step is marked on a GPU, 1 to `steps`: 1 where the marks of each step stay
// within budget and number. `step_s`: seconds per step; 0: unknown, the number alone rules. Groups
// of so many steps reach as near to the window's end as whole groups can.
std::int64_t steps_per_mark(double step_s, std::int64_t steps, std::int64_t micro_steps);

// How many events a window takes at most, of a step that ends with its update.
std::int64_t events_of(std::int64_t groups, std::int64_t micro_steps);

// One PhaseTimes per whole group of `steps_per_mark` steps, in seconds per step of that group: its
// length by the number of its steps, divided among the phases as its first step was, which alone is
// marked. That step's marks end with a kWindowEnd, where the second one begins; the group ends
// where the next begins, the last one at a kWindowEnd of its own. A group that is not closed is
// left out. Source: docs/METRICS.md, "Steps".
std::vector<PhaseTimes> split_thinned(std::span<const Moment> moments,
                                      std::span<const double> seconds, std::int64_t steps_per_mark);

}  // namespace scalemark::measurement
