#include "engine/running/ballot.h"

#include <array>
#include <utility>

#include "engine/device/cpu_allocator.h"
#include "engine/distributed/wire.h"
#include "engine/running/failure.h"

namespace scalemark::running {
namespace {

constexpr std::array<std::pair<Ballot::Kind, std::string_view>, 5> kNames{{
    {Ballot::Kind::kOk, "ok"},
    {Ballot::Kind::kStopped, "stopped"},
    {Ballot::Kind::kOom, "oom"},
    {Ballot::Kind::kFailed, "failed"},
    {Ballot::Kind::kBereft, "bereft"},
}};

std::string_view name_of(Ballot::Kind kind) {
  for (const auto& [candidate, name] : kNames) {
    if (candidate == kind) return name;
  }
  throw bug("a ballot of no kind");
}

Ballot::Kind kind_of(std::string_view name) {
  for (const auto& [kind, candidate] : kNames) {
    if (candidate == name) return kind;
  }
  throw bug("a ballot of unknown kind '" + std::string(name) + "'");
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

Ballot ballot_of(const std::exception_ptr& exception) {
  Ballot ballot{.kind = Ballot::Kind::kFailed, .record = record_of(exception, nullptr)};
  if (ballot.record.code == "E_PEER_LOST") {
    ballot.kind = Ballot::Kind::kBereft;
  } else if (ballot.record.exit_code == ExitCode::kOutOfMemory) {
    ballot.kind = Ballot::Kind::kOom;
    ballot.requested_bytes = requested_bytes(exception);
  }
  return ballot;
}

std::string encode(const Ballot& ballot) {
  distributed::Facts facts{{"kind", std::string(name_of(ballot.kind))},
                           {"signal", std::to_string(ballot.signal)},
                           {"agreed", ballot.agreed ? "1" : "0"}};
  if (ballot.kind != Ballot::Kind::kOk && ballot.kind != Ballot::Kind::kStopped) {
    facts["record"] = distributed::encode(ballot.record);
  }
  if (ballot.requested_bytes) facts["requested_bytes"] = std::to_string(*ballot.requested_bytes);
  return distributed::encode(facts);
}

Ballot decode_ballot(std::string_view text) {
  const auto facts = distributed::decode_facts(text);
  if (!facts || !facts->contains("kind")) throw bug("a ballot that cannot be read");
  Ballot ballot{.kind = kind_of(facts->at("kind")),
                .signal = std::stoi(facts->at("signal")),
                .agreed = facts->at("agreed") == "1"};
  if (const auto found = facts->find("record"); found != facts->end()) {
    auto record = distributed::decode_error(found->second);
    if (!record) throw bug("a ballot whose error cannot be read");
    ballot.record = *std::move(record);
  }
  if (const auto found = facts->find("requested_bytes"); found != facts->end()) {
    ballot.requested_bytes = std::stoull(found->second);
  }
  return ballot;
}

}  // namespace scalemark::running
