#include "core/collectives/shares.h"

#include <algorithm>

namespace scalemark::collectives {
namespace {

constexpr std::int64_t kAlignedBytes = 16;

}  // namespace

bool is_shared(Collective collective) {
  switch (collective) {
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kGather:
    case Collective::kAllToAll:
      return true;
    default:
      return false;
  }
}

bool is_reduction(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kReduce ||
         collective == Collective::kReduceScatter;
}

std::optional<std::int64_t> measured_elements(Collective collective, std::int64_t elements,
                                              DataType type, int world_size) {
  if (collective == Collective::kBarrier) return 0;
  if (elements < 1) return std::nullopt;
  if (!is_shared(collective)) return elements;
  std::int64_t share = elements / world_size;
  if (share < 1) return std::nullopt;
  const std::int64_t aligned = kAlignedBytes / bytes_of(type);
  if (share >= aligned) share -= share % aligned;
  return share * world_size;
}

std::int64_t share_of(const Exchange& exchange) {
  return is_shared(exchange.collective) ? exchange.elements / exchange.world_size
                                        : exchange.elements;
}

std::int64_t input_elements(const Exchange& exchange) {
  const bool of_a_share =
      exchange.collective == Collective::kAllGather || exchange.collective == Collective::kGather;
  return of_a_share ? share_of(exchange) : exchange.elements;
}

std::int64_t output_elements(const Exchange& exchange, int rank) {
  switch (exchange.collective) {
    case Collective::kReduceScatter:
      return share_of(exchange);
    case Collective::kReduce:
    case Collective::kGather:
      return rank == kRoot ? exchange.elements : 0;
    default:
      return exchange.elements;
  }
}

std::int64_t buffer_bytes(const Exchange& exchange, DataType type, bool in_place) {
  const std::int64_t in = input_elements(exchange), out = output_elements(exchange, kRoot);
  return (in_place ? std::max(in, out) : in + out) * bytes_of(type);
}

}  // namespace scalemark::collectives
