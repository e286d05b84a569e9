// Rank 0's part of the fingerprint of a sweep's machines, before its first block: the first rank of
// each machine measures it while all others wait, then all ranks measure the exchange of gradients
// together.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/planning/plan.h"
#include "core/reporting/record/records.h"
#include "engine/distributed/work_queue.h"
#include "engine/process/rank_process.h"
#include "engine/sweeping/fingerprint_member.h"

namespace scalemark::sweeping {

class FingerprintRound {
 public:
  // `stopped`: whether somebody has asked for the end; asked again and again while rank 0 waits.
  FingerprintRound(process::RankProcess& rank_process, process::RankContext& context,
                   distributed::WorkQueue& queue, FingerprintMember& member,
                   std::function<bool()> stopped)
      : rank_process_(rank_process),
        context_(context),
        queue_(queue),
        member_(member),
        stopped_(std::move(stopped)) {}

  // Asks all ranks, and collects. Throws what a lost rank throws.
  std::vector<reporting::FingerprintRecord> take(const planning::Plan& plan);

 private:
  std::vector<reporting::FingerprintRecord> ask_all(FingerprintPart part);

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  distributed::WorkQueue& queue_;
  FingerprintMember& member_;
  std::function<bool()> stopped_;
};

}  // namespace scalemark::sweeping
