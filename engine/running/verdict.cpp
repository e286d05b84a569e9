#include "engine/running/verdict.h"

#include <algorithm>

#include "core/base/error.h"

namespace scalemark::running {
namespace {

using Kind = Ballot::Kind;
using Ballots = std::map<int, Ballot>;

const Ballots::value_type* first_of(const Ballots& ballots, Kind kind) {
  const auto found =
      std::ranges::find_if(ballots, [&](const auto& entry) { return entry.second.kind == kind; });
  return found == ballots.end() ? nullptr : &*found;
}

std::string reason_of(int rank, const ErrorRecord& record) {
  return "rank " + std::to_string(rank) + ": " + record.code + ": " + record.what;
}

}  // namespace

Verdict verdict_of(const Ballots& ballots) {
  if (const auto* oom = first_of(ballots, Kind::kOom)) {
    return {.ending = planning::Ending::kOom,
            .reason = reason_of(oom->first, oom->second.record),
            .oom = reporting::OutOfMemory{.rank = oom->first,
                                          .requested_bytes = oom->second.requested_bytes}};
  }
  if (const auto* failed = first_of(ballots, Kind::kFailed)) {
    return {.ending = planning::Ending::kFailed,
            .reason = reason_of(failed->first, failed->second.record),
            .failed = failed->second.record};
  }
  if (names_a_loss(ballots)) throw bug("a verdict on a loss that has no cause");
  return {};
}

std::optional<Stopped> stop_in(const Ballots& ballots) {
  const auto* stopped = first_of(ballots, Kind::kStopped);
  if (stopped == nullptr) return std::nullopt;
  return Stopped{.signal = stopped->second.signal, .agreed = stopped->second.agreed};
}

std::optional<ErrorRecord> gpu_fault_in(const Ballots& ballots) {
  for (const auto& [rank, ballot] : ballots) {
    if (ballot.kind != Kind::kFailed || ballot.record.exit_code != ExitCode::kGpuFault) continue;
    ErrorRecord fault = ballot.record;
    fault.rank = rank;
    return fault;
  }
  return std::nullopt;
}

bool names_a_cause(const Ballots& ballots) {
  return first_of(ballots, Kind::kOom) != nullptr || first_of(ballots, Kind::kFailed) != nullptr;
}

bool names_a_loss(const Ballots& ballots) { return first_of(ballots, Kind::kBereft) != nullptr; }

}  // namespace scalemark::running
