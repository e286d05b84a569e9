// The results of a run's members give the sweep a verdict. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/planning/sweep_schedule.h"
#include "core/reporting/record/records.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/sweeping/rank_result.h"

namespace scalemark::sweeping {

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
