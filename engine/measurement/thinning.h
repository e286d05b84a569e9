// How often steps are marked where marks would change what they measure, and how all steps' times
// then follow from the marked ones. Pure: works on plain numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/measurement/phases.h"

namespace scalemark::measurement {

// Recording one CUDA event costs the host this, and marks may cost that share of a step. The eight
// marks would be a fifth of a step of 60 microseconds.
inline constexpr double kSecondsPerEvent = 1.5e-6;
inline constexpr double kMarkBudget = 0.01;

// Events of one window: each is an object of the driver's, made before the window opens.
inline constexpr std::int64_t kMostEvents = 100'000;

// The distance between marked steps on a GPU, 1 to `steps`: 1 where marking each step stays within
// the time budget and kMostEvents. `step_s`: seconds per step; 0: unknown, only kMostEvents counts.
// Whole groups of this many steps end as near to the window's end as possible.
std::int64_t steps_per_mark(double step_s, std::int64_t steps, std::int64_t micro_steps);

// How many events a window takes at most, of a step that ends with its update.
std::int64_t events_of(std::int64_t groups, std::int64_t micro_steps);

// The mean step of each whole group of `steps_per_mark` steps, in seconds: the group's length by
// the number of its steps, divided among the phases as its first step was, which alone is marked.
// That step's marks end with a kWindowEnd, where the second one begins; a group ends where the next
// begins, the last group at its own kWindowEnd. An open group is left out. Source: docs/METRICS.md,
// "Steps".
MarkedSteps split_thinned(std::span<const Moment> moments, std::span<const double> seconds,
                          std::int64_t steps_per_mark);

}  // namespace scalemark::measurement
