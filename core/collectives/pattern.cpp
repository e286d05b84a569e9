#include "core/collectives/pattern.h"

#include <string>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

// Primes: powers of two, as sizes and shares usually are, never come back to the same value.
constexpr std::int64_t kValues = 251;  // of data that only travels
constexpr std::int64_t kTags = 61;     // of the part that changes with element and round

// Steps of the rank and the round; those of elements begin at 5 and differ between ranks that have
// the same first value.
int travelling_value(std::int64_t rank, std::int64_t element, std::uint64_t round) {
  const std::int64_t step = 5 + rank / kValues % (kValues - 6);
  const auto turn = static_cast<std::int64_t>(round % kValues);
  return static_cast<int>(1 + (37 * rank + step * (element % kValues) + 101 * turn) % kValues);
}

int tag(const Exchange& exchange, std::int64_t element) {
  const auto turn = static_cast<std::int64_t>(exchange.round % kTags);
  return static_cast<int>((5 * (element % kTags) + 7 * turn) % kTags);
}

// Up to kRanksThatAllAdd ranks have this many different parts, so that all sums stay within the
// limit.
int parts(int world_size) { return kRanksThatAllAdd / world_size; }

// With more ranks, one in so many adds to an element.
int classes(int world_size) { return (world_size + kRanksThatAllAdd - 1) / kRanksThatAllAdd; }

int own_part(int world_size, int rank, std::int64_t element) {
  if (world_size <= kRanksThatAllAdd) return 1 + rank % parts(world_size);
  const int among = classes(world_size);
  return rank % among == element % among ? 1 : 0;
}

int sum_of_parts(int world_size, std::int64_t element) {
  if (world_size > kRanksThatAllAdd) {
    const int among = classes(world_size), first = static_cast<int>(element % among);
    return (world_size - first + among - 1) / among;
  }
  const int different = parts(world_size);
  const int whole = world_size / different, rest = world_size % different;
  return world_size + whole * (different * (different - 1) / 2) + rest * (rest - 1) / 2;
}

int added_value(const Exchange& exchange, int rank, std::int64_t element) {
  const bool has_tag = element % exchange.world_size == rank;
  return own_part(exchange.world_size, rank, element) + (has_tag ? tag(exchange, element) : 0);
}

int sum(const Exchange& exchange, std::int64_t element) {
  return sum_of_parts(exchange.world_size, element) + tag(exchange, element);
}

// Where in its source's sending buffer an element lies that `rank` receives.
std::int64_t place_at_source(const Exchange& exchange, int rank, std::int64_t element) {
  if (!is_shared(exchange.collective)) return element;
  const std::int64_t share = share_of(exchange), within = element % share;
  return exchange.collective == Collective::kAllToAll ? rank * share + within : within;
}

}  // namespace

int input_value(const Exchange& exchange, int rank, std::int64_t element) {
  return is_reduction(exchange.collective) ? added_value(exchange, rank, element)
                                           : travelling_value(rank, element, exchange.round);
}

int expected_value(const Exchange& exchange, int rank, std::int64_t element) {
  if (exchange.collective == Collective::kReduceScatter) {
    return sum(exchange, rank * share_of(exchange) + element);
  }
  if (is_reduction(exchange.collective)) return sum(exchange, element);
  const auto source = source_of(exchange, rank, element);
  if (!source) throw bug("no data of " + std::string(name_of(exchange.collective)));
  return travelling_value(*source, place_at_source(exchange, rank, element), exchange.round);
}

std::optional<int> source_of(const Exchange& exchange, int rank, std::int64_t element) {
  switch (exchange.collective) {
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kAllToAll:
      return static_cast<int>(element / share_of(exchange));
    case Collective::kBroadcast:
      return kRoot;
    case Collective::kSendRecv:
      return (rank + exchange.world_size - 1) % exchange.world_size;
    default:
      return std::nullopt;
  }
}

}  // namespace scalemark::collectives
