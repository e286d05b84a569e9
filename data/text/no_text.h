// Signs by which the first bytes of a file show that it is no text in UTF-8: other encodings,
// archives, pictures, the files of other trainers. Knows nothing of what a text means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::data {

struct NoText {
  std::string what;    // follows "is": "a JPEG image", "compressed (gzip)"
  std::string detail;  // numbers that belong to it, or nothing
  std::string hint;
};

// `head`: what a file begins with, some kilobytes at least or all of it. Absent: it may be text.
std::optional<NoText> no_text_of(std::string_view head);

// Returns nothing where so few of `bytes` are broken (broken_bytes()) that they are strays in a
// text.
std::optional<NoText> no_utf8_of(std::int64_t broken, std::int64_t bytes);

// The word under which a file is counted: "JPEG image" of "a JPEG image".
std::string kind_of(const NoText& no_text);

}  // namespace scalemark::data
