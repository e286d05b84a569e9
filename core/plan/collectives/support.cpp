#include "core/plan/collectives/support.h"

#include <algorithm>
#include <array>

#include "core/catalogue/backends.h"

namespace scalemark::planning {
namespace {

using collectives::Collective;
using collectives::Via;
using settings::DeviceKind;

struct BackendRow {
  std::string_view name;
  bool on_gpus = false;  // takes their tensors, if only through memory of the host
  bool direct = false;   // can be called without c10d
};

constexpr std::array kRows{BackendRow{.name = "nccl", .on_gpus = true, .direct = true},
                           BackendRow{.name = "gloo", .on_gpus = true},
                           BackendRow{.name = "mpi", .direct = true}};

const BackendRow* find_row(std::string_view backend) {
  const auto found = std::ranges::find(kRows, backend, &BackendRow::name);
  return found == kRows.end() ? nullptr : &*found;
}

std::optional<std::string> lack_of_via(const CollectiveCall& call) {
  if (call.via == Via::kC10d) return std::nullopt;
  const BackendRow* row = find_row(call.backend);
  if (row && row->direct) return std::nullopt;
  return std::string(call.backend) + " can be called through c10d only (direct: nccl, mpi)";
}

std::optional<std::string> lack_of_collective(const CollectiveCall& call) {
  // ProcessGroupGloo hands the address to the network, which only reads memory of the host.
  if (call.backend == "gloo" && call.device == DeviceKind::kCuda &&
      call.collective == Collective::kSendRecv) {
    return "gloo sends and receives tensors of the CPU only";
  }
  return std::nullopt;
}

std::optional<std::string> lack_of_place(const CollectiveCall& call) {
  const std::string name(name_of(call.collective));
  switch (call.collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
      if (call.in_place || call.via == Via::kDirect) return std::nullopt;
      return "c10d has " + name + " in place only";
    case Collective::kBroadcast:
      if (call.in_place) return std::nullopt;
      return name + " is in place by definition";
    case Collective::kAllToAll:
    case Collective::kSendRecv:
      if (!call.in_place) return std::nullopt;
      return name + " cannot be done in place: a rank would overwrite what it has not yet sent";
    default:
      return std::nullopt;
  }
}

}  // namespace

bool serves(std::string_view backend, DeviceKind device) {
  const bool cuda = device == DeviceKind::kCuda;
  if (catalogue::needs_one_rank_per_gpu(backend)) return cuda;
  const BackendRow* row = find_row(backend);
  return !cuda || (row && row->on_gpus);
}

collectives::Staging staging_of(std::string_view backend, DeviceKind device) {
  const bool direct = device == DeviceKind::kCpu || catalogue::needs_one_rank_per_gpu(backend);
  return direct ? collectives::Staging::kNone : collectives::Staging::kHost;
}

std::optional<std::string> lack_of(const CollectiveCall& call) {
  if (!serves(call.backend, call.device)) {
    return std::string(call.backend) + " takes no tensors of --device " +
           std::string(name_of(call.device));
  }
  if (auto lack = lack_of_via(call)) return lack;
  if (auto lack = lack_of_collective(call)) return lack;
  return lack_of_place(call);
}

bool usually_in_place(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kBarrier:
      return true;
    default:
      return false;
  }
}

}  // namespace scalemark::planning
