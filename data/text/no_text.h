// Signs in the first bytes of a file that it is no text in UTF-8 but another encoding, an archive,
// a picture, or a file of another trainer. Knows nothing of a text's meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::data {

struct NoText {
  std::string what;    // follows "is": "a JPEG image", "compressed (gzip)"
  std::string detail;  // numbers with further detail, or nothing
  std::string hint;
};

// `head` is the beginning of a file, at least some kilobytes or all of it. Absent: it may be text.
std::optional<NoText> no_text_of(std::string_view head);

// Returns nothing where so few of `bytes` are broken (broken_bytes()) that they are strays in a
// text.
std::optional<NoText> no_utf8_of(std::int64_t broken, std::int64_t bytes);

// Returns the name under which a file is counted: "JPEG image" for "a JPEG image".
std::string kind_of(const NoText& no_text);

}  // namespace scalemark::data
