// Rank 0's part of the fingerprint of a sweep's machines, before its first block: the first rank of
// each machine measures it while all others wait, then all ranks measure the exchange of gradients
// together.
#pragma once

#include <vector>

#include "core/planning/plan.h"
#include "core/reporting/record/records.h"
#include "engine/process/rank_context.h"
#include "engine/process/task_loop.h"
#include "engine/sweeping/fingerprint_member.h"

namespace scalemark::sweeping {

class FingerprintRound {
 public:
  FingerprintRound(process::RankContext& context, process::TaskLoop& loop,
                   FingerprintMember& member)
      : context_(context), loop_(loop), member_(member) {}

  // Asks all ranks, and collects. Throws what a lost rank throws.
  std::vector<reporting::FingerprintRecord> take(const planning::Plan& plan);

 private:
  std::vector<reporting::FingerprintRecord> ask_all(FingerprintPart part);

  process::RankContext& context_;
  process::TaskLoop& loop_;
  FingerprintMember& member_;
};

}  // namespace scalemark::sweeping
