// The ranks of a sweep tell each other the tasks of its loop, the result of a run on each rank, and
// the measurements; the results give the sweep a verdict.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/plan/sweep_schedule.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/train/point.h"
#include "report/judge/point/telemetry.h"
#include "report/record/rank_fields.h"
#include "report/record/records.h"

namespace scalemark::sweeping {

// A part of the machines' fingerprint: SweepCoordinator::take_fingerprint().
enum class FingerprintPart {
  kNone,
  kMachine,    // the first rank of each machine measures it
  kExchange,   // all ranks together
  kDevices,    // each rank measures its own device
  kSustained,  // each rank holds products on its own device
  kReplay,     // each rank does the same work again and again on its own device
  kNode        // the ranks of each node together: what its devices exchange
};

// A task of a sweep's loop: a run, a reading of the machines or of their counters of errors, or a
// part of their fingerprint. Every rank holds the plan, so only numbers travel.
struct SweepCommand {
  std::optional<planning::Task> task;  // empty: one of the next three is asked for
  bool quiet_check = false;            // every rank reads its machine: machine_rounds.h
  bool health = false;                 // every rank reads its counters: process/machines.h
  FingerprintPart fingerprint = FingerprintPart::kNone;
  std::optional<int> only_rank;  // it measures while all others wait; empty: all measure
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

// The result of a run on one rank, as it is sent to the others. Knows no store.
struct RankResult {
  enum class Kind {
    kOk,
    kStopped,   // an agreed stop came before its end
    kOom,       // this rank did not get the memory that it asked for
    kFailed,    // this rank failed by itself
    kPeerLost,  // this rank's peers were gone: some other rank's result says why
  };
  Kind kind = Kind::kOk;
  ErrorRecord record;                            // oom, failed, peer lost
  std::optional<std::uint64_t> requested_bytes;  // oom, when known
  int signal = 0;                                // stopped
  bool agreed = true;                            // stopped: all ranks answered
  std::string heartbeat_record;                  // its record for status.json, as it ended
};

template <class A>
constexpr void fields(A& a, typename A::template Field<RankResult>& r) {
  a.values(r.kind, r.record, r.requested_bytes, r.signal, r.agreed, r.heartbeat_record);
}

// The result for the exception that ended a run. Never waits for a cause: another rank reports it.
RankResult result_of(const std::exception_ptr& exception);

// The only rank of a task sends what it measured to rank 0 of the sweep, which writes the row.
// Ranks of a larger point gather to rank 0 within their group. It travels in pieces, since a store
// takes 8 MiB for a value at most and a long window has more steps than that.

// `number`: of the task's message. Both throw when the store is gone.
void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome);
// After the sender has reported its result; takes the pieces out of the store. Throws bug() when
// there are none.
running::PointOutcome receive_outcome(c10d::Store& store, std::int64_t number);

// The results of a run's members give the sweep this verdict. All that follows is pure.
struct PointVerdict {
  planning::Ending ending = planning::Ending::kOk;
  std::string reason;                         // not ok
  std::optional<reporting::OutOfMemory> oom;  // kOom
  std::optional<ErrorRecord> failed;          // kFailed: of the rank that failed first
};

// `results` by rank, of every member. The cause decides: one rank out of memory makes the point
// oom, whatever its peers report. A stopped run has no verdict, see below; neither has a lost peer
// without a cause: bug().
PointVerdict verdict_of(const std::map<int, RankResult>& results);

// The stop that the members came to, if they did.
std::optional<distributed::Stop> stop_in(const std::map<int, RankResult>& results);

// The first GPU fault in the results, by rank. A CUDA context does not recover from one (every
// later call fails): the process that met it cannot run another point, and so the sweep ends.
std::optional<ErrorRecord> gpu_fault_in(const std::map<int, RankResult>& results);

// Whether some result explains why other ranks lost their peers.
bool has_root_cause(const std::map<int, RankResult>& results);
// Whether some rank lost its peers.
bool has_lost_peer(const std::map<int, RankResult>& results);

}  // namespace scalemark::sweeping
