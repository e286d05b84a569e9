// Does a host name resolve, and if not, why? Asks the system's resolver; opens no connection.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace scalemark::launching {

// Absent when the name resolves. Otherwise E_CANNOT_RESOLVE (69) with the resolver's reason, or
// that it gave no answer within `deadline`. Uses a thread of its own, which a hung resolver may
// keep beyond the return: so call it after forking, not before.
std::optional<ErrorRecord> resolve_or_explain(const std::string& host,
                                              std::chrono::milliseconds deadline);

}  // namespace scalemark::launching
