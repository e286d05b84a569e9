#include "engine/sweep/sweep_messages.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/wire.h"
#include "engine/device/cpu_allocator.h"
#include "engine/distributed/parcels.h"
#include "engine/process/failure_reporter.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {
namespace {

std::optional<std::uint64_t> requested_bytes(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const device::CpuMemoryRefused& refused) {
    return refused.requested_bytes();
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace

RankResult result_of(const std::exception_ptr& exception) {
  RankResult result{.kind = RankResult::Kind::kFailed,
                    .record = process::record_of(exception, nullptr)};
  if (result.record.code == kPeerLostCode) {
    result.kind = RankResult::Kind::kPeerLost;
  } else if (result.record.exit_code == ExitCode::kOutOfMemory) {
    result.kind = RankResult::Kind::kOom;
    result.requested_bytes = requested_bytes(exception);
  }
  return result;
}

namespace {

std::string outcome_key(std::int64_t number) { return "task/measured/" + std::to_string(number); }

}  // namespace

void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome) {
  distributed::send_parcel(store, outcome_key(number), to_wire(outcome));
}

running::PointOutcome receive_outcome(c10d::Store& store, std::int64_t number) {
  const std::string key = outcome_key(number);
  if (!store.check({key})) throw bug("a rank reported a result and sent none");
  const std::string bytes = distributed::receive_parcel(store, key);
  distributed::delete_parcel(store, key);
  return from_wire<running::PointOutcome>(bytes);
}

namespace {

using Kind = RankResult::Kind;
using Ballots = std::map<int, RankResult>;

const Ballots::value_type* first_of(const Ballots& results, Kind kind) {
  const auto found =
      std::ranges::find_if(results, [&](const auto& entry) { return entry.second.kind == kind; });
  return found == results.end() ? nullptr : &*found;
}

std::string reason_of(int rank, const ErrorRecord& record) {
  return "rank " + std::to_string(rank) + ": " + record.code + ": " + record.what;
}

}  // namespace

PointVerdict verdict_of(const Ballots& results) {
  if (const auto* oom = first_of(results, Kind::kOom)) {
    return {.ending = planning::Ending::kOom,
            .reason = reason_of(oom->first, oom->second.record),
            .oom = reporting::OutOfMemory{.rank = oom->first,
                                          .requested_bytes = oom->second.requested_bytes}};
  }
  if (const auto* failed = first_of(results, Kind::kFailed)) {
    return {.ending = planning::Ending::kFailed,
            .reason = reason_of(failed->first, failed->second.record),
            .failed = failed->second.record};
  }
  if (has_lost_peer(results)) throw bug("a lost peer, but no rank reported a cause");
  return {};
}

std::optional<distributed::Stop> stop_in(const Ballots& results) {
  const auto* stopped = first_of(results, Kind::kStopped);
  if (stopped == nullptr) return std::nullopt;
  return distributed::Stop{.signal = stopped->second.signal, .agreed = stopped->second.agreed};
}

std::optional<ErrorRecord> gpu_fault_in(const Ballots& results) {
  for (const auto& [rank, result] : results) {
    if (result.kind != Kind::kFailed || result.record.exit_code != ExitCode::kGpuFault) continue;
    ErrorRecord fault = result.record;
    fault.rank = rank;
    return fault;
  }
  return std::nullopt;
}

bool has_root_cause(const Ballots& results) {
  return first_of(results, Kind::kOom) != nullptr || first_of(results, Kind::kFailed) != nullptr;
}

bool has_lost_peer(const Ballots& results) { return first_of(results, Kind::kPeerLost) != nullptr; }

}  // namespace scalemark::sweeping
