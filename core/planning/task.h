// One thing that a sweep does next: a run of the plan, or a trial of a batch search. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/planning/plan.h"

namespace scalemark::planning {

// The most that a run may take where time is short: less than its point's own length.
struct TimeCut {
  double warmup_s = 0, window_s = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<TimeCut>& c) {
  a.values(c.warmup_s, c.window_s);
}

struct Task {
  enum class Kind { kTrial, kRun };
  Kind kind = Kind::kRun;
  PlannedRun run;               // of a trial: the point and a unique id
  std::size_t search = 0;       // of a trial
  std::int64_t batch_size = 0;  // of a searched point; 0: as planned
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

}  // namespace scalemark::planning
