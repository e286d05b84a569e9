#include "engine/sweeping/rank_result.h"

#include "engine/device/cpu_allocator.h"
#include "engine/process/failure.h"

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
  if (result.record.code == "E_PEER_LOST") {
    result.kind = RankResult::Kind::kPeerLost;
  } else if (result.record.exit_code == ExitCode::kOutOfMemory) {
    result.kind = RankResult::Kind::kOom;
    result.requested_bytes = requested_bytes(exception);
  }
  return result;
}

}  // namespace scalemark::sweeping
