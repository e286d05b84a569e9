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

distributed::Pulse::Hooks hooks_of(RankProcess& rank_process) {
  auto hooks = rank_process.live().hooks();
  hooks.on_lost = [&rank_process](const ErrorRecord& loss) { rank_process.give_up(loss); };
  return hooks;
}

}  // namespace

ProcessLink::ProcessLink(RankProcess& rank_process, RankContext& context)
    : rank_process_(rank_process),
      context_(context),
      queue_(context.store_pointer(), context.world().rank, context.world().world_size,
             context.error_store(), context.timeout(), hooks_of(rank_process),
             look_of_waiting(rank_process)) {
  rank_process.end_when_overdue();
}

}  // namespace scalemark::process
