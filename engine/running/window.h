// Warm-up and the measured window of one rank. Definitions: docs/METRICS.md, "One run".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/monitoring/energy.h"
#include "core/planning/plan.h"
#include "engine/device/device.h"
#include "engine/distributed/groups.h"
#include "engine/measurement/phases.h"
#include "engine/running/loss_trace.h"
#include "engine/running/step_watch.h"
#include "engine/training/train_step.h"

namespace scalemark::running {

// What the loops work with: one rank's step, where its batches come from, and its peers.
struct StepContext {
  training::TrainStep& step;
  std::function<data::Batch()> next_batch;
  std::int64_t micro_steps = 1;
  device::Device& device;
  distributed::ControlGroup& control;
  StepWatch& watch;
};

struct Warmup {
  std::int64_t iterations = 0;
  double seconds = 0;                  // all of it, on this rank
  std::optional<double> first_step_s;  // absent: there was none
  double step_s = 0;     // what the window's length is planned with: see steady_step_s()
  bool stopped = false;  // an agreed stop came in between
};

// Runs as long as `length` says; rank 0's clock decides, so that all ranks run as many steps.
Warmup warm_up(const StepContext& context, const planning::RunLength& length);

// A step's time at the end of the warm-up: the mean of its later steps; without those its first
// step's, lazy initialisation included; 0 (unknown) without any step.
double steady_step_s(std::int64_t later_steps, double later_s, std::optional<double> first_step_s);

// How many steps the window has, planned from the warm-up's step time (the minimum when that is 0,
// unknown).
std::int64_t window_steps(const planning::RunLength& length, double step_s);

struct WindowPlan {
  std::int64_t steps = 0;
  std::int64_t steps_per_mark = 1;  // above 1: engine/measurement/thinning.h
};

// `step_s`: 0 where it is unknown. Only a GPU's marks are thinned: those of a CPU cost 30 ns each.
WindowPlan plan_window(const StepContext& context, std::int64_t steps, double step_s);

// Rank 0's plan, on every rank. Collective.
WindowPlan agreed(distributed::ControlGroup& control, const WindowPlan& mine);

struct Window {
  double wall_s = 0;                   // t1 - t0 on this rank; of several stretches their sum
  std::vector<double> stretch_wall_s;  // of --epochs
  std::vector<double> energy_J;        // see EnergyMeter::joules(); empty without a meter
  std::int64_t iterations = 0;         // steps that were run
  std::int64_t steps_per_mark = 1;
  measurement::MarkedSteps steps;
  std::vector<double> losses;
  std::int64_t samples = 0;  // executed by this rank, padding excluded
  std::int64_t padded = 0;
  std::int64_t non_pad_tokens = 0;  // text
  bool stopped = false;
};

// Barrier, t0, the steps, device synchronised, t1, barrier. Collective over the control group.
// `name` is for the progress line. `energy`, if any, counts from t0 to t1: it is read between the
// barriers, outside the timed region.
Window measure(const StepContext& context, const std::string& name, const WindowPlan& plan,
               monitoring::EnergyMeter* energy = nullptr);

}  // namespace scalemark::running
