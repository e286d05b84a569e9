// Letters of 5 x 7 pixels, drawn into RGB pixels. Knows nothing of what is written.
#pragma once

#include <string_view>

#include "data/images/decode.h"

namespace scalemark::data {

inline constexpr int kLetterWidth = 6;   // with the gap behind it
inline constexpr int kLetterHeight = 8;  // with the gap below it

// Black, upper left corner at (left, top), each pixel `scale` x `scale`. What lies outside `image`
// is left out; a byte that is no printable ASCII becomes '?'.
void write_text(Pixels& image, int left, int top, std::string_view text, int scale);

}  // namespace scalemark::data
