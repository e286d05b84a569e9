// One thing that a sweep does next, a run of the plan or a trial of a batch search, with the size
// that a search tries next and how long a run takes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace scalemark::planning {

// The most that a run may take where time is short: less than its point's own length.
struct TimeCut {
  double warmup_s = 0, window_s = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<TimeCut>& c) {
  a.values(c.warmup_s, c.window_s);
}

// Only a trial belongs to a `search`; its `run` holds the point and a unique id.
struct Task {
  enum class Kind { kTrial, kRun };
  Kind kind = Kind::kRun;
  PlannedRun run;
  std::size_t search = 0;
  std::int64_t batch_size = 0;  // set for a searched point; 0: the planned size
  int attempt = 0;              // 0, and one more with each retry
  std::optional<TimeCut> cut;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Task>& t) {
  a.values(t.kind, t.run, t.search, t.batch_size, t.attempt, t.cut);
}

// The settings of a task's point, its searched batch size filled in. Only a first repetition has a
// trace.
settings::Settings settings_of(const Plan& plan, const Task& task);

// The length of a task: its point's, unless it is a trial or cut.
RunLength length_of(const Plan& plan, const Task& task);

// The length of a point's runs with at most `cut`. Numbers of steps and --min-time that were given
// still hold, and so does the minimum of kFewestSteps.
RunLength cut_short(const PlannedPoint& point, const TimeCut& cut);

// The search for the largest batch that fits says which size to try next.
// Doubles from the least batch until one does not fit, then halves the gap on multiples of 8.
class BatchFinder {
 public:
  explicit BatchFinder(std::int64_t least = 1) : least_(least) {}

  // Returns the size to try next; absent when the answer is known.
  std::optional<std::int64_t> next() const;

  // Records whether the size that next() returned fits.
  void tried(bool fits);

  // The largest batch known to fit; 0 when not even the least does.
  std::int64_t largest() const { return fits_; }
  std::int64_t least() const { return least_; }

 private:
  std::int64_t least_;
  std::int64_t fits_ = 0;
  std::optional<std::int64_t> too_large_;
};

// Times of a run that is ok.
struct RunTimes {
  double step_s = 0;
  double outside_s = 0;  // before, between and after warm-up and window
};

// The runs of a sweep take as long as estimated until some are measured, then as those
// measurements say.
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
    double outside_s = 0;              // the latest run spent so long there
  };

  double outside_s(std::size_t point) const;
  std::vector<double> nearest_ratios(std::size_t point) const;

  const Plan& plan_;
  std::map<std::size_t, Measured> measured_;  // by point
};

}  // namespace scalemark::planning
