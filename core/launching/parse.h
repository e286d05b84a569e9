// Whole numbers from text, without wrapping, clamping or trailing rubbish.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/number_words.h"

namespace scalemark::launching {

// Decimal digits only, so no sign and no space; absent when it does not fit.
template <typename Integer = int>
std::optional<Integer> parse_whole(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : whole_number<Integer>(text);
}

}  // namespace scalemark::launching
