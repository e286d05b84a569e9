// Sizes of messages as people type them: bytes as nccl-tests counts them, or elements. Pure; knows
// no option and no collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collectives/words.h"

namespace scalemark::collectives {

struct MessageSize {
  std::int64_t count = 0;  // of bytes or elements, from 1 on
  bool elements = false;
  bool operator==(const MessageSize&) const = default;
};

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 50;

// "4KiB", "1MB", "4096B", "4096" (bytes); "1Mi:elem", "1000:elem". Absent for anything else, for
// nothing and for more than kLargestSize.
std::optional<MessageSize> parse_message_size(std::string_view text);

// "LOW..HIGH*RATIO" or "LOW..HIGH+STEP", ends and step given apart: ends of one kind (bytes or
// elements), LOW <= HIGH, a whole ratio from 2 on or a step of the same kind. Ends at the last size
// that does not exceed HIGH. Empty for what is no such range and for more than `most` sizes.
std::vector<MessageSize> size_range(std::string_view low, std::string_view high,
                                    std::string_view step, bool geometric, std::size_t most);

// The form that parse_message_size() reads back, in the largest unit that holds it whole: "4KiB",
// "1008B", "1Mi:elem".
std::string to_text(const MessageSize& size);

// Elements of `type` that the size holds; a rest of bytes is dropped. 0: less than one element.
std::int64_t elements_of(const MessageSize& size, DataType type);

}  // namespace scalemark::collectives
