#include "engine/training/lr_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace scalemark::training {
namespace {

constexpr std::array kKinds = {"constant", "cosine", "step", "linear", "polynomial", "cyclic"};

// How many of the milestones 3/9, 6/9 and 8/9 of `total` have been reached; exact in integers.
int milestones_reached(std::int64_t step, std::int64_t total) {
  return (9 * step >= 3 * total) + (9 * step >= 6 * total) + (9 * step >= 8 * total);
}

constexpr std::int64_t kCycles = 4;
constexpr double kLowestOfCycle = 0.25;

// A triangle wave between kLowestOfCycle and 1, starting low.
double triangle(std::int64_t step, std::int64_t total) {
  const std::int64_t half = std::max<std::int64_t>(1, total / (2 * kCycles));
  const double position =
      static_cast<double>(step % (2 * half)) / static_cast<double>(half);  // [0, 2)
  const double height = position <= 1 ? position : 2 - position;
  return kLowestOfCycle + (1 - kLowestOfCycle) * height;
}

double factor_after_warmup(const std::string& kind, std::int64_t step, std::int64_t total) {
  if (kind == "constant") return 1;
  const double done =
      total == 0 ? 1 : static_cast<double>(step) / static_cast<double>(total);  // [0, 1]
  if (kind == "cosine") return (1 + std::cos(std::numbers::pi * done)) / 2;
  if (kind == "step") return std::pow(0.1, milestones_reached(step, total));
  if (kind == "linear") return 1 - done;
  if (kind == "polynomial") return (1 - done) * (1 - done);
  if (kind == "cyclic") return triangle(step, total);
  throw bug("unvalidated learning-rate schedule '" + kind + "'");
}

}  // namespace

void validate(const LrSchedule& schedule) {
  if (std::find(kKinds.begin(), kKinds.end(), schedule.kind) == kKinds.end()) {
    throw configuration("lr_schedule is '" + schedule.kind + "'",
                        "constant, cosine, step, linear, polynomial or cyclic");
  }
  if (schedule.warmup_steps < 0 || schedule.total_steps < 0) {
    throw configuration("lr_warmup_steps " + std::to_string(schedule.warmup_steps) + " of " +
                            std::to_string(schedule.total_steps) + " steps",
                        "no negative numbers");
  }
  if (schedule.kind != "constant" && schedule.warmup_steps > schedule.total_steps) {
    throw configuration("lr_warmup_steps is " + std::to_string(schedule.warmup_steps),
                        "at most the " + std::to_string(schedule.total_steps) +
                            " steps of the run, of which it is a part");
  }
}

double learning_rate_at(const LrSchedule& schedule, std::int64_t step) {
  if (step < schedule.warmup_steps) {
    return schedule.rate * static_cast<double>(step + 1) /
           static_cast<double>(schedule.warmup_steps);
  }
  const std::int64_t total =
      std::max<std::int64_t>(0, schedule.total_steps - schedule.warmup_steps);
  const std::int64_t since = std::min(step - schedule.warmup_steps, total);
  return schedule.rate * factor_after_warmup(schedule.kind, since, total);
}

}  // namespace scalemark::training
