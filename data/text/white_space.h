// White space at the ends of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace scalemark::data {

// `text` without white space at both ends, as Python's str.strip(): U+00A0, U+3000, U+2028 and the
// separators U+001C to U+001F are some.
std::string_view stripped(std::string_view text);

// How many bytes of such white space `text` begins with: those of one character, or 0.
std::size_t first_space(std::string_view text);

// Without white space at its end, as Rust's str::trim_end(), which the readers of Hugging Face
// tokenizers call: the separators stay.
std::string_view trimmed_end(std::string_view text);

}  // namespace scalemark::data
