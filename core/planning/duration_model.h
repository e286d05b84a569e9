// How long the runs of a sweep take: by the estimate until runs are measured, then by those
// measurements. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/planning/task.h"

namespace scalemark::planning {

// Times of a run that is ok.
struct RunTimes {
  double step_s = 0;
  double outside_s = 0;  // before, between and after warm-up and window
};

class DurationModel {
 public:
  explicit DurationModel(const Plan& plan) : plan_(plan) {}  // `plan` must outlive this

  void note(const Task& task, const RunTimes& times);

  // Seconds of a step of the task's point: its estimate times measured / estimated steps of this
  // point if it has run, else of the points that share a slice with it, else of all points.
  double step_s(const Task& task) const;
  double run_s(const Task& task, const RunLength& length) const;

 private:
  struct Measured {
    std::vector<double> log_of_ratio;  // measured / estimated step
    double outside_s = 0;              // of the latest run
  };

  double outside_s(std::size_t point) const;
  std::vector<double> nearest_ratios(std::size_t point) const;

  const Plan& plan_;
  std::map<std::size_t, Measured> measured_;  // by point
};

}  // namespace scalemark::planning
