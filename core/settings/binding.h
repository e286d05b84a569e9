// --bind: where the ranks of a node go, and how many threads then fit. Pure: the machine's topology
// is part of Machine where ranks are to be bound.
#pragma once

#include <optional>

#include "core/placement/places.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// Places all ranks of this node, by local rank.
placement::Answer place_ranks(const Machine& machine, placement::Bind bind, DeviceKind device,
                              int local_world_size);

// The automatic number of threads: the cores divided by the ranks that compute, and no more than a
// rank's CPUs among the `local_world_size` ranks of the launch. At least 1.
int threads_per_rank(const Machine& machine, placement::Bind bind, DeviceKind device,
                     int local_world_size, int computing);

// The problem of a --bind that the ranks of this launch cannot have.
std::optional<Problem> impossible_binding(const Settings& settings, const Machine& machine,
                                          const RankCount& ranks);

}  // namespace scalemark::settings
