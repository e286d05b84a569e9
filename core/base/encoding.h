// Bytes that are no UTF-8, and texts in other encodings: what is said of them, and how they are
// shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark {

// Length of the UTF-8 character that `text` begins with; 0: it begins with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// A byte that no line may show: "\xe9".
std::string escaped_byte(char byte);

// Bytes that are no UTF-8 as "\xe9", for lines that people read.
std::string as_utf8(std::string_view text);

// "UTF-16" or "UTF-32" where `text` begins with the mark of its byte order; else empty.
std::string encoding_by_mark(std::string_view text);

// The same, and without a mark "UTF-16LE", "UTF-32BE" and so on where zeros stand in `text` as they
// do between Latin letters; empty: it may be UTF-8. These are names that iconv knows.
std::string wide_encoding_of(std::string_view text);

// Says how to turn a text in that encoding into UTF-8.
std::string utf8_hint(std::string_view encoding);

// Throws bad_data() (65) for a text in UTF-16 or UTF-32, as PowerShell's `>` and some editors
// write.
void refuse_wide_text(std::string_view text, const std::string& named);

}  // namespace scalemark
