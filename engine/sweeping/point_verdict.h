// What the results of a run's members mean for the sweep. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/planning/sweep_schedule.h"
#include "core/reporting/record/records.h"
#include "engine/sweeping/rank_result.h"

namespace scalemark::sweeping {

struct PointVerdict {
  planning::Ending ending = planning::Ending::kOk;
  std::string reason;                         // not ok
  std::optional<reporting::OutOfMemory> oom;  // kOom
  std::optional<ErrorRecord> failed;          // kFailed: of the rank that failed first
};

// `results` by rank, of every member. The cause rules: one rank out of memory makes the point oom,
// whatever its peers saw of it. A stopped run has no verdict, see below; nor has a loss that no
// rank names a cause of: bug().
PointVerdict verdict_of(const std::map<int, RankResult>& results);

// The signal on which the members stopped, if they did.
struct Stopped {
  int signal = 0;
  bool agreed = true;
};
std::optional<Stopped> stop_in(const std::map<int, RankResult>& results);

// The fault of a GPU, as the first member's result tells it. A CUDA context does not recover from
// one (every later call fails): the process that met it cannot run another point, and so the sweep
// ends.
std::optional<ErrorRecord> gpu_fault_in(const std::map<int, RankResult>& results);

// Whether some result says why the others are bereft.
bool has_root_cause(const std::map<int, RankResult>& results);
// Whether some rank lost its peers.
bool has_lost_peer(const std::map<int, RankResult>& results);

}  // namespace scalemark::sweeping
