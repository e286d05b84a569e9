// The steps of one rank in its measured window, and the interface that decides between two steps
// whether to stop early. Definitions: METRICS.md, "The window".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/energy.h"
#include "core/machine/telemetry/sampler.h"
#include "core/machine/thread_schedule.h"
#include "core/plan/plan.h"
#include "engine/device/device.h"
#include "engine/distributed/control_group.h"
#include "engine/process/event_log.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/step/train_step.h"
#include "engine/train/results/losses.h"
#include "report/keep/raw_steps.h"

namespace scalemark::running {

// Between two steps the step loops ask this whether to stop early, and report their progress to it.
class StepWatch {
 public:
  virtual ~StepWatch() = default;

  // The run enters a phase ("model", "warmup"), for error lines, the report and the watchdog.
  virtual void enter(const std::string& phase) = 0;

  // A loop of `steps` steps with `micro_steps` batches each begins; outside timed regions.
  virtual void begin(const std::string& phase, std::optional<std::int64_t> steps,
                     std::int64_t micro_steps) = 0;

  // The loop that has begun trains by `step`, whose consumption is counted.
  virtual void count(training::TrainStep&) {}

  // Returns true when all ranks have agreed to stop before step `step` (counted over the whole
  // run). Every rank gets the same answer for the same step. Costs an atomic read.
  virtual bool stop_before(std::int64_t step) = 0;

  // Called after a stop. Returns false when some rank did not take part in the agreement, so that
  // no collective may follow.
  virtual bool peers_answered() const = 0;

  // Returns the event log for the steps; null: there is none.
  virtual process::EventLog* events() { return nullptr; }

  // Updates the watchdog's heartbeat and the progress line. Costs a few atomic stores.
  virtual void step_done(std::int64_t step, std::optional<double> loss) = 0;
};

// The loops use these: one rank's step, the source of its batches, and its peers.
struct StepContext {
  training::TrainStep& step;
  std::function<data::Batch()> next_batch;
  std::int64_t micro_steps = 1;
  device::Device& device;
  distributed::ControlGroup& control;
  StepWatch& watch;
  LossCourse* losses = nullptr;        // notes the warm-up's losses; null: they are not needed
  std::int64_t empty_cache_every = 0;  // steps; 0: never
};

// Runs one step of a loop, and what --empty-cache-every does after it, which counts as time between
// two steps. Returns the step's mean loss, like TrainStep::run().
at::Tensor run_step(const StepContext& context, measurement::StepMarker& marker);

// Does the same under the watch, where the loss is not needed. Returns false when an agreed stop
// came before the step.
bool run_watched(const StepContext& context, measurement::StepMarker& marker);

// Returns a number that rank 0 decides. Collective.
std::int64_t agree(distributed::ControlGroup& control, std::int64_t mine);

// Returns how many steps the window has, planned from the warm-up's step time (the minimum when
// that is 0, unknown).
std::int64_t window_steps(const planning::RunLength& length, double step_s);

struct WindowPlan {
  std::int64_t steps = 0;
  std::int64_t steps_per_mark = 1;  // above 1: engine/step/measurement/window_timer.h
  bool brief = false;               // too short to show by itself what others did on the machine
};
template <class A>
constexpr void fields(A& a, typename A::template Field<WindowPlan>& p) {
  a.values(p.steps, p.steps_per_mark, p.brief);
}

// `step_s` 0: unknown. Only a GPU's marks are thinned, since a CPU's cost 30 ns each.
WindowPlan plan_window(const StepContext& context, std::int64_t steps, double step_s);

// Returns rank 0's plan on every rank. Collective.
WindowPlan agreed(distributed::ControlGroup& control, const WindowPlan& mine);

struct Window {
  double wall_s = 0;    // t1 - t0 on this rank; for several stretches their sum
  double around_s = 0;  // includes the two barriers; shorter for a stopped window
  std::vector<reporting::RawWindow> stretches;  // empty without --epochs
  std::vector<double> energy_J;                 // see EnergyMeter::joules(); empty without a meter
  std::int64_t iterations = 0;                  // number of steps run
  std::int64_t steps_per_mark = 1;
  measurement::MarkedSteps steps;
  std::vector<double> losses;
  std::int64_t samples = 0;  // samples that this rank computed, padding excluded
  std::int64_t padded = 0;
  std::int64_t non_pad_tokens = 0;  // counted in text only
  // The scheduler gave this thread so much meanwhile; pages that the process read from a disk.
  std::optional<monitoring::ScheduleTimes> schedule;
  std::int64_t major_faults = 0;
  bool stopped = false;
};

// These read the machine or the steps meanwhile; null: nothing does.
struct WindowMeters {
  monitoring::EnergyMeter* energy = nullptr;
  monitoring::Sampler* telemetry = nullptr;
  device::OuterProfiler* profiler = nullptr;
};

// Collective over the control group. The order is: barrier, t0, the steps, device synchronised, t1,
// barrier. `name` is for the progress line. `meters` count from t0 to t1: they are begun and read
// between the barriers, outside the timed region. `profiler` collects from before the first barrier
// to after t1, and sees the steps' ranges.
Window measure(const StepContext& context, const std::string& name, const WindowPlan& plan,
               const WindowMeters& meters = {});

}  // namespace scalemark::running
