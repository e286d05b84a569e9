#include "engine/measurement/thinning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace scalemark::measurement {
namespace {

// The marks of one step, and where the next begins.
std::int64_t events_per_marked_step(std::int64_t micro_steps) {
  return micro_steps * kMomentsPerMicroStep + 1;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The marked step's share of each phase, of a step that takes `step_s`.
Phases scaled_to(Phases marked, double step_s) {
  const double whole = marked.sum();
  if (!(whole > 0)) return {.other = step_s};
  for (const auto& [name, phase] : reporting::kPhases) {
    marked.*phase *= step_s / whole;
  }
  return marked;
}

}  // namespace

std::int64_t events_of(std::int64_t groups, std::int64_t micro_steps) {
  return groups * events_per_marked_step(micro_steps) + 1;
}

std::int64_t steps_per_mark(double step_s, std::int64_t steps, std::int64_t micro_steps) {
  const std::int64_t events = events_per_marked_step(micro_steps);
  std::int64_t wanted = ceil_div(steps * events, kMostEvents);
  if (step_s > 0) {
    const double marks_s = kSecondsPerEvent * static_cast<double>(events);
    wanted = std::max(wanted, static_cast<std::int64_t>(std::ceil(marks_s / kMarkBudget / step_s)));
  }
  if (steps < 1 || wanted <= 1) return 1;
  const std::int64_t groups = std::max<std::int64_t>(1, steps / wanted);
  return steps / groups;
}

MarkedSteps split_thinned(std::span<const Moment> moments, std::span<const double> seconds,
                          std::int64_t steps_per_mark) {
  if (moments.size() != seconds.size()) throw bug("moments and times differ in number");
  MarkedSteps groups;
  std::size_t begin = 0;
  while (begin < moments.size() && moments[begin] == Moment::kStepBegin) {
    const auto rest = moments.subspan(begin);
    const auto closed =
        static_cast<std::size_t>(std::ranges::find(rest, Moment::kWindowEnd) - rest.begin() + 1);
    const std::size_t next = begin + closed;
    if (next >= moments.size()) break;
    const auto marked = split_into_steps(rest.first(closed), seconds.subspan(begin, closed));
    if (marked.step_s.size() != 1) throw bug("a marked step was not closed before the next one");
    const double step_s = (seconds[next] - seconds[begin]) / static_cast<double>(steps_per_mark);
    groups.step_s.push_back(step_s);
    if (!marked.phases.empty()) groups.phases.push_back(scaled_to(marked.phases[0], step_s));
    begin = next;
  }
  return groups;
}

}  // namespace scalemark::measurement
