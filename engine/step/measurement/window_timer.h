// Times of a measured window's steps: the markers, how often they mark, and how step times and
// phases follow from the marked moments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/device/device.h"
#include "engine/step/measurement/step_timer.h"
#include "report/record/records.h"

namespace scalemark::measurement {

// --- These functions turn marked moments into step times and phases for the report. They are pure
// and work on plain seconds.

using reporting::Phases;

// Returns one Phases per step. A step reaches from its first kStepBegin to that of the next step;
// the last one ends at the window's final moment (kWindowEnd). So the phases of a step sum to its
// time.
//
// `moments` and `seconds` have equal length, in order of recording; the final entry closes the
// window. Throws bug() when the moments do not form whole steps. Source: METRICS.md, "Steps".
std::vector<Phases> split_into_phases(std::span<const Moment> moments,
                                      std::span<const double> seconds);

Phases mean_of(std::span<const Phases> steps);

// The seconds of a window's steps, and their phases. `phases` is empty where steps run as a whole
// (a captured graph, a collective) and only their kStepBegin is marked.
struct MarkedSteps {
  std::vector<double> step_s;
  std::vector<Phases> phases;
};

// Returns the mean step time without exposed communication. Absent without phases.
std::optional<double> mean_own_s(const MarkedSteps& steps);

// Like split_into_phases(), but for steps that are marked inside or as a whole. Throws bug() when a
// window holds both.
MarkedSteps split_into_steps(std::span<const Moment> moments, std::span<const double> seconds);

// --- Steps are marked less often where marks would change what they measure; the times of all
// steps then follow from the marked ones. These functions are pure, too.

// The host time that recording one CUDA event takes. Eight marks would be a fifth of a step of 60
// microseconds.
inline constexpr double kSecondsPerEvent = 1.5e-6;
inline constexpr double kMarkBudget = 0.01;

// Most events of one window, since each is an object of the driver's and is made before the window
// opens.
inline constexpr std::int64_t kMostEvents = 100'000;

// Returns the distance between marked steps on a GPU, from 1 to `steps`: 1 where marking each step
// stays within the time budget and kMostEvents. `step_s`: seconds per step; 0: unknown, so that
// only kMostEvents counts. Whole groups of this many steps end as near to the window's end as
// possible.
std::int64_t steps_per_mark(double step_s, std::int64_t steps, std::int64_t micro_steps);

// Returns how many events a window takes at most, where a step ends with its update.
std::int64_t events_of(std::int64_t groups, std::int64_t micro_steps);

// Returns the mean step of each whole group of `steps_per_mark` steps, in seconds: the group's
// length divided by the number of its steps, and split into phases in proportion to its first step,
// the only one that is marked. That step's marks end with a kWindowEnd, where the second step
// begins. A group ends where the next begins, the last group at its own kWindowEnd; an open group
// is left out. Source: METRICS.md, "Steps".
MarkedSteps split_thinned(std::span<const Moment> moments, std::span<const double> seconds,
                          std::int64_t steps_per_mark);

// The StepMarkers of a measured window. Space for every mark is reserved before the window opens.
class WindowMarks : public StepMarker {
 public:
  // Returns the times per step, or per group of steps; call it after mark(kWindowEnd) and a
  // synchronise of the device.
  virtual MarkedSteps steps() const = 0;
};

// Marks every step.
class WindowTimer final : public WindowMarks {
 public:
  WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps);

  void mark(Moment moment) override {
    timeline_->record();
    moments_.push_back(moment);
  }

  MarkedSteps steps() const override;

 private:
  std::unique_ptr<device::Timeline> timeline_;
  std::vector<Moment> moments_;
};

// Marks the first of every `steps_per_mark` steps (2 or more), and where the second one begins: see
// split_thinned(). Steps after the last whole group are not marked.
class ThinnedTimer final : public WindowMarks {
 public:
  ThinnedTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps,
               std::int64_t steps_per_mark);

  void mark(Moment moment) override;
  MarkedSteps steps() const override;

 private:
  void begin_step();
  void close();
  void put(Moment moment);

  std::unique_ptr<device::Timeline> timeline_;
  std::vector<Moment> moments_;
  std::int64_t steps_per_mark_, steps_in_groups_;
  std::int64_t begun_ = 0;       // steps
  bool in_micro_steps_ = false;  // the next kStepBegin is a micro-step's
  bool marking_ = false;
};

// `steps_per_mark` 1: every step is marked.
std::unique_ptr<WindowMarks> make_window_marks(device::Device& device, std::int64_t steps,
                                               std::int64_t micro_steps,
                                               std::int64_t steps_per_mark);

// Marks nothing; for steps outside windows.
class NoMarker final : public StepMarker {
 public:
  void mark(Moment) override {}
};

}  // namespace scalemark::measurement
