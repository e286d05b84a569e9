#include "engine/process/process_link.h"

#include <algorithm>

#include "core/base/durations.h"

namespace scalemark::process {
namespace {

// A waiting rank sends a heartbeat at every look, so looks must be shorter than its deadline.
std::chrono::milliseconds look_of_waiting(RankProcess& rank_process) {
  return std::min(milliseconds_of(rank_process.phase_tracker().timeout_of("wait") / 4),
                  distributed::WorkQueue::kLook);
}

}  // namespace

ProcessLink::ProcessLink(RankProcess& rank_process, RankContext& context)
    : rank_process_(rank_process),
      context_(context),
      queue_(
          context.store_pointer(), context.world().rank, context.world().world_size,
          context.error_store(), context.timeout(),
          {.on_lost = [this](const ErrorRecord& loss) { rank_process_.give_up(loss); }},
          look_of_waiting(rank_process)) {}

}  // namespace scalemark::process
