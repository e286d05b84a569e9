// UTF-8 bytes to code points, the way Python's bytes.decode("utf-8", errors="replace") does it.
// Knows nothing of what the text means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scalemark::data {

inline constexpr char32_t kReplacement = 0xFFFD;

// The code point that starts at bytes[at], and moves `at` behind it. A broken sequence gives one
// U+FFFD for each maximal subpart (Unicode 15, section 3.9, table 3-8). `at` < bytes.size().
char32_t next_code_point(std::string_view bytes, std::size_t& at);

// How many bytes of `text` belong to broken sequences, or are NUL: whoever reads it loses them.
std::int64_t broken_bytes(std::string_view text);

void append_utf8(char32_t code_point, std::string& out);

}  // namespace scalemark::data
