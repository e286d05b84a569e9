#include "core/collectives/collective.h"

#include <algorithm>
#include <array>

#include "core/base/number_words.h"

namespace scalemark::collectives {
namespace {

constexpr std::string_view kElements = ":elem";

// "1Mi" and "1000" of elements, "4KiB" and "4096" of bytes.
std::optional<std::int64_t> parse_multiple(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string with_unit(text);
  if (!text.ends_with('B')) with_unit += 'B';
  return parse_byte_size(with_unit);
}

// The largest power of 1024 that divides `count`: "64Mi"; without one the number itself.
std::string binary_text(std::int64_t count) {
  constexpr std::array kUnits{"Ti", "Gi", "Mi", "Ki"};
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const std::int64_t unit = std::int64_t{1} << (10 * (kUnits.size() - i));
    if (count >= unit && count % unit == 0) return std::to_string(count / unit) + kUnits[i];
  }
  return std::to_string(count);
}

}  // namespace

std::optional<MessageSize> parse_message_size(std::string_view text) {
  const bool elements = text.ends_with(kElements);
  if (elements) text.remove_suffix(kElements.size());
  if (elements && text.ends_with('B')) return std::nullopt;
  const auto count = parse_multiple(text);
  if (!count || *count > kLargestSize) return std::nullopt;
  return MessageSize{.count = *count, .elements = elements};
}

std::vector<MessageSize> size_range(std::string_view low_text, std::string_view high_text,
                                    std::string_view step_text, bool geometric, std::size_t most) {
  const auto low = parse_message_size(low_text), high = parse_message_size(high_text),
             step = parse_message_size(step_text);
  if (!low || !high || !step || low->elements != high->elements || low->count > high->count) {
    return {};
  }
  // A ratio is a bare number; a step has the kind of the ends, and a bare one counts bytes.
  const bool plain = step_text.find_first_not_of("0123456789") == std::string_view::npos;
  if (geometric ? !plain || step->count < 2 : step->elements != low->elements) return {};
  std::vector<MessageSize> sizes;
  for (MessageSize size = *low; size.count <= high->count;) {
    if (sizes.size() == most) return {};
    sizes.push_back(size);
    const std::int64_t left = high->count / (geometric ? step->count : 1);
    if (geometric && size.count > left) break;
    size.count = geometric ? size.count * step->count : size.count + step->count;
  }
  return sizes;
}

std::string to_text(const MessageSize& size) {
  return binary_text(size.count) + (size.elements ? std::string(kElements) : "B");
}

std::int64_t elements_of(const MessageSize& size, DataType type) {
  return size.elements ? size.count : size.count / bytes_of(type);
}

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
