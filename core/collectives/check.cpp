#include "core/collectives/check.h"

#include <array>
#include <bit>
#include <string>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

void refuse_inexact(int value) {
  if (value < 0 || value > kMostExact) {
    throw bug("no exact 16-bit number: " + std::to_string(value));
  }
}

}  // namespace

std::uint16_t fp16_bits(int value) {
  refuse_inexact(value);
  if (value == 0) return 0;
  constexpr int kBias = 15, kMantissaBits = 10;
  const int exponent = std::bit_width(static_cast<unsigned>(value)) - 1;
  const int mantissa = (value << (kMantissaBits - exponent)) & ((1 << kMantissaBits) - 1);
  return static_cast<std::uint16_t>(((exponent + kBias) << kMantissaBits) | mantissa);
}

std::uint16_t bf16_bits(int value) {
  refuse_inexact(value);
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

std::uint16_t half_bits(DataType type, int value) {
  if (type == DataType::kFp16) return fp16_bits(value);
  if (type == DataType::kBf16) return bf16_bits(value);
  throw bug(std::string(name_of(type)) + " has no 16 bits");
}

namespace {

// Primes: powers of two, as sizes and shares usually are, never come back to the same value.
constexpr std::int64_t kValues = 251;  // data that only travels repeats after so many
constexpr std::int64_t kTags = 61;     // so does the part that changes with element and round

// 37 and 101 are the steps of rank and round. The step between elements begins at 5, and differs
// between ranks that have the same first value.
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

namespace {

// Each value that the pattern has, in the form of an element.
template <class T>
using Forms = std::array<T, kMostExact + 1>;

template <class T, class Form>
Forms<T> forms(Form form) {
  Forms<T> all{};
  for (int value = 0; value <= kMostExact; ++value) {
    all[static_cast<std::size_t>(value)] = form(value);
  }
  return all;
}

Forms<float> float_forms() {
  return forms<float>([](int value) { return static_cast<float>(value); });
}
Forms<std::int32_t> int_forms() {
  return forms<std::int32_t>([](int value) { return value; });
}
Forms<std::uint16_t> half_forms(DataType type) {
  return forms<std::uint16_t>([&](int value) { return half_bits(type, value); });
}

void refuse_other_length(std::size_t length, std::int64_t expected) {
  if (static_cast<std::int64_t>(length) != expected) {
    throw bug("a buffer of " + std::to_string(length) + " elements where " +
              std::to_string(expected) + " are exchanged");
  }
}

template <class T>
void fill(const Exchange& exchange, int rank, std::span<T> input, const Forms<T>& forms) {
  refuse_other_length(input.size(), input_elements(exchange));
  for (std::size_t i = 0; i < input.size(); ++i) {
    const int value = input_value(exchange, rank, static_cast<std::int64_t>(i));
    input[i] = forms[static_cast<std::size_t>(value)];
  }
}

template <class T>
WrongElements compare(const Exchange& exchange, int rank, std::span<const T> output,
                      const Forms<T>& forms) {
  refuse_other_length(output.size(), output_elements(exchange, rank));
  WrongElements wrong;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    const int value = expected_value(exchange, rank, element);
    if (output[i] == forms[static_cast<std::size_t>(value)]) continue;
    if (wrong.count++ == 0) {
      wrong.first = element;
      wrong.from = source_of(exchange, rank, element);
    }
  }
  return wrong;
}

template <class T>
std::span<T> input_span(const Exchange& exchange, void* input) {
  return {static_cast<T*>(input), static_cast<std::size_t>(input_elements(exchange))};
}

template <class T>
std::span<const T> output_span(const Exchange& exchange, int rank, const void* output) {
  return {static_cast<const T*>(output), static_cast<std::size_t>(output_elements(exchange, rank))};
}

}  // namespace

void fill_input(const Exchange& exchange, int rank, std::span<float> input) {
  fill(exchange, rank, input, float_forms());
}
void fill_input(const Exchange& exchange, int rank, std::span<std::int32_t> input) {
  fill(exchange, rank, input, int_forms());
}
void fill_input(const Exchange& exchange, int rank, std::span<std::uint16_t> input, DataType type) {
  fill(exchange, rank, input, half_forms(type));
}

WrongElements wrong_elements(const Exchange& exchange, int rank, std::span<const float> output) {
  return compare(exchange, rank, output, float_forms());
}
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::int32_t> output) {
  return compare(exchange, rank, output, int_forms());
}
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::uint16_t> output, DataType type) {
  return compare(exchange, rank, output, half_forms(type));
}

void fill_input(const Exchange& exchange, int rank, DataType type, void* input) {
  switch (type) {
    case DataType::kFp32:
      return fill_input(exchange, rank, input_span<float>(exchange, input));
    case DataType::kInt32:
      return fill_input(exchange, rank, input_span<std::int32_t>(exchange, input));
    case DataType::kFp16:
    case DataType::kBf16:
      return fill_input(exchange, rank, input_span<std::uint16_t>(exchange, input), type);
  }
}

WrongElements wrong_elements(const Exchange& exchange, int rank, DataType type,
                             const void* output) {
  switch (type) {
    case DataType::kFp32:
      return wrong_elements(exchange, rank, output_span<float>(exchange, rank, output));
    case DataType::kInt32:
      return wrong_elements(exchange, rank, output_span<std::int32_t>(exchange, rank, output));
    case DataType::kFp16:
    case DataType::kBf16:
      return wrong_elements(exchange, rank, output_span<std::uint16_t>(exchange, rank, output),
                            type);
  }
  throw bug("a data type without a check");
}

}  // namespace scalemark::collectives
