// A plan skips what the backends of collectives cannot do, and says why, without torch. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/collectives/collective.h"
#include "core/settings/settings.h"

namespace scalemark::planning {

// One way to call a collective.
struct CollectiveCall {
  collectives::Collective collective = collectives::Collective::kAllReduce;
  std::string_view backend;
  collectives::Via via = collectives::Via::kC10d;
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  bool in_place = true;
};

// Whether the backend takes tensors of the device at all.
bool serves(std::string_view backend, settings::DeviceKind device);

// Where data passes that a backend cannot take from the device itself.
collectives::Staging staging_of(std::string_view backend, settings::DeviceKind device);

// In words, what of the call the backend lacks; absent: nothing. All types of collective.h are
// taken by Gloo (GENERATE_ALL_TYPES of torch 2.11's ProcessGroupGlooDetail.hpp), NCCL and our MPI
// backend alike.
std::optional<std::string> lack_of(const CollectiveCall& call);

// Whether a call that names neither is in place: as training calls the collective.
bool usually_in_place(collectives::Collective collective);

}  // namespace scalemark::planning
