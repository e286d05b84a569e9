// The tasks of a sweep's loop: a run, a look at the machines or at their counters of errors, or a
// part of their fingerprint. Every rank holds the plan, so only numbers travel.
#pragma once

#include <optional>
#include <vector>

#include "core/planning/sweep_schedule.h"
#include "core/reporting/point/telemetry.h"
#include "core/reporting/record/rank_fields.h"

namespace scalemark::sweeping {

// A part of the machines' fingerprint: SweepCoordinator::take_fingerprint().
enum class FingerprintPart {
  kNone,
  kMachine,    // the first rank of each machine measures it
  kExchange,   // all ranks together
  kDevices,    // each rank measures its own device
  kSustained,  // each rank holds products on its own device
  kReplay      // each rank does the same work again and again on its own device
};

struct SweepCommand {
  std::optional<planning::Task> task;  // absent: one of the next three
  bool quiet_check = false;            // every rank reads its machine: quiet_check.h
  bool health = false;                 // every rank reads its counters: process/health.h
  FingerprintPart fingerprint = FingerprintPart::kNone;
  std::optional<int> only_rank;  // measures it, while all others wait; absent: all
};
template <class A>
constexpr void fields(A& a, typename A::template Field<SweepCommand>& c) {
  a.values(c.task, c.quiet_check, c.health, c.fingerprint, c.only_rank);
}

// A rank's answer: what it measured, and, of a device, how busy its machine was meanwhile.
struct FingerprintAnswer {
  std::vector<reporting::FingerprintRecord> records;
  std::vector<reporting::ReplayRecord> replays;
  reporting::RankReadings readings;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<FingerprintAnswer>& f) {
  a.values(f.records, f.replays, f.readings);
}

}  // namespace scalemark::sweeping
