// The messages between a sweep's ranks: the tasks of its loop, the result of a run on each rank,
// and the measurements. The results give a run its verdict.
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
  kExchange,   // all ranks measure together
  kDevices,    // each rank measures its own device
  kSustained,  // products held by each rank on its own device
  kReplay,     // the same work repeated by each rank on its own device
  kNode        // exchanges between the devices of each node
};

// A task of a sweep's loop: a run, a reading of the machines or of their error counters, or a part
// of their fingerprint. Every rank holds the plan, so only numbers are sent.
struct SweepCommand {
  std::optional<planning::Task> task;  // empty: one of the next three is wanted
  bool quiet_check = false;            // every rank reads its machine: machine_rounds.h
  bool health = false;                 // every rank reads its counters: process/machines.h
  FingerprintPart fingerprint = FingerprintPart::kNone;
  // The only rank to measure, while all others wait; empty: all measure.
  std::optional<int> only_rank;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<SweepCommand>& c) {
  a.values(c.task, c.quiet_check, c.health, c.fingerprint, c.only_rank);
}

// A rank's answer: its measurements, and for a device how busy its machine was meanwhile.
struct FingerprintAnswer {
  std::vector<reporting::FingerprintRecord> records;
  std::vector<reporting::ReplayRecord> replays;
  std::vector<monitoring::NcclChoice> nccl;  // this rank has one for kNode over NCCL
  reporting::RankReadings readings;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<FingerprintAnswer>& f) {
  a.values(f.records, f.replays, f.nccl, f.readings);
}

// The result of a run on one rank, in the form in which it is sent. Knows no store.
struct RankResult {
  enum class Kind {
    kOk,
    kStopped,   // an agreed stop came before its end
    kOom,       // this rank did not get the memory that it asked for
    kFailed,    // this rank failed by itself
    kPeerLost,  // this rank's peers were gone; another rank's result has the reason
  };
  Kind kind = Kind::kOk;
  ErrorRecord record;                            // oom, failed, peer lost
  std::optional<std::uint64_t> requested_bytes;  // oom, when known
  int signal = 0;                                // stopped
  bool agreed = true;                            // stopped: all ranks answered
  std::string heartbeat_record;                  // the rank's final record for status.json
};

template <class A>
constexpr void fields(A& a, typename A::template Field<RankResult>& r) {
  a.values(r.kind, r.record, r.requested_bytes, r.signal, r.agreed, r.heartbeat_record);
}

// Returns the result for the exception that ended a run. Never waits for a cause, since another
// rank reports it.
RankResult result_of(const std::exception_ptr& exception);

// --- The only rank of a task sends its measurements to rank 0 of the sweep, which writes the row.
// Ranks of a larger point gather to rank 0 within their group. The outcome is sent as a parcel,
// since a long window has more steps than a value of the store holds.

// `number` is that of the task's message. Both throw when the store is gone.
void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome);
// Call it after the sender has reported its result; it removes the pieces from the store. Throws
// bug() when there are none.
running::PointOutcome receive_outcome(c10d::Store& store, std::int64_t number);

// The sweep's verdict on a run, from its members' results. The rest of this file is pure.
struct PointVerdict {
  planning::Ending ending = planning::Ending::kOk;
  std::string reason;                         // set unless it is ok
  std::optional<reporting::OutOfMemory> oom;  // kOom
  std::optional<ErrorRecord> failed;          // kFailed: the error of the rank that failed first
};

// `results` holds those of every member, by rank. The cause decides: one rank out of memory makes
// the point oom, whatever its peers report. A stopped run has no verdict (see stop_in()), nor has a
// lost peer without a cause, which is a bug().
PointVerdict verdict_of(const std::map<int, RankResult>& results);

// Returns the stop to which the members agreed, if they did.
std::optional<distributed::Stop> stop_in(const std::map<int, RankResult>& results);

// Returns the first GPU fault in the results, by rank. A CUDA context does not recover from one
// (every later call fails), so its process cannot run another point, and the sweep ends.
std::optional<ErrorRecord> gpu_fault_in(const std::map<int, RankResult>& results);

// Whether some result explains why other ranks lost their peers.
bool has_root_cause(const std::map<int, RankResult>& results);
// Whether some rank lost its peers.
bool has_lost_peer(const std::map<int, RankResult>& results);

}  // namespace scalemark::sweeping
