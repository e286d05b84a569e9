// The result of a run on one rank, as it is sent to the others. Knows no store.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace scalemark::sweeping {

struct RankResult {
  enum class Kind {
    kOk,
    kStopped,   // an agreed stop came before its end
    kOom,       // this rank did not get the memory that it asked for
    kFailed,    // this rank failed by itself
    kPeerLost,  // this rank's peers were gone: some other rank's result says why
  };
  Kind kind = Kind::kOk;
  ErrorRecord record;                            // oom, failed, peer lost
  std::optional<std::uint64_t> requested_bytes;  // oom, when known
  int signal = 0;                                // stopped
  bool agreed = true;                            // stopped: all ranks answered
  std::string beat;                              // its record for status.json, as it ended
};

template <class A>
constexpr void fields(A& a, typename A::template Field<RankResult>& r) {
  a.values(r.kind, r.record, r.requested_bytes, r.signal, r.agreed, r.beat);
}

// The result for the exception that ended a run. Never waits for a cause: another rank reports it.
RankResult result_of(const std::exception_ptr& exception);

}  // namespace scalemark::sweeping
