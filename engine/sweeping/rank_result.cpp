#include "engine/sweeping/rank_result.h"

#include <utility>

#include "engine/device/cpu_allocator.h"
#include "engine/distributed/wire.h"
#include "engine/process/failure.h"

namespace scalemark::sweeping {
namespace {

RankResult::Kind kind_of(std::string_view name) {
  if (const auto kind = find_word<RankResult::Kind>(name)) return *kind;
  throw bug("a result of unknown kind '" + std::string(name) + "'");
}

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

std::string encode(const RankResult& result) {
  distributed::Facts facts{{"kind", std::string(name_of(result.kind))},
                           {"signal", std::to_string(result.signal)},
                           {"agreed", result.agreed ? "1" : "0"}};
  if (result.kind != RankResult::Kind::kOk && result.kind != RankResult::Kind::kStopped) {
    facts["record"] = distributed::encode(result.record);
  }
  if (result.requested_bytes) facts["requested_bytes"] = std::to_string(*result.requested_bytes);
  return distributed::encode(facts);
}

RankResult decode_rank_result(std::string_view text) {
  const auto facts = distributed::decode_facts(text);
  if (!facts || !facts->contains("kind")) throw bug("a result that cannot be read");
  RankResult result{.kind = kind_of(facts->at("kind")),
                    .signal = std::stoi(facts->at("signal")),
                    .agreed = facts->at("agreed") == "1"};
  if (const auto found = facts->find("record"); found != facts->end()) {
    auto record = distributed::decode_error(found->second);
    if (!record) throw bug("a result whose error cannot be read");
    result.record = *std::move(record);
  }
  if (const auto found = facts->find("requested_bytes"); found != facts->end()) {
    result.requested_bytes = std::stoull(found->second);
  }
  return result;
}

}  // namespace scalemark::sweeping
