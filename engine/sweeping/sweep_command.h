// The tasks of a sweep's loop: a run, a look at the machines, or a part of their fingerprint. Every
// rank holds the plan, so only numbers travel.
#pragma once

#include <optional>

#include "core/planning/sweep_schedule.h"

namespace scalemark::sweeping {

// A part of the machines' fingerprint: SweepCoordinator::take_fingerprint().
enum class FingerprintPart {
  kNone,
  kMachine,  // the first rank of each machine measures it
  kExchange  // all ranks together
};

struct SweepCommand {
  std::optional<planning::Task> task;  // absent: one of the next two
  bool quiet_check = false;            // every rank reads its machine: quiet_check.h
  FingerprintPart fingerprint = FingerprintPart::kNone;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<SweepCommand>& c) {
  a.values(c.task, c.quiet_check, c.fingerprint);
}

}  // namespace scalemark::sweeping
