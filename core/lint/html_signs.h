// The tags and the characters of an HTML text, one at a time. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace scalemark::lint {

// The character that "&amp;", "&#215;" or "&#xD7;" at the begin of `text` means, as UTF-8, and its
// length there; any blank is a plain one, and an unknown one stands for itself.
std::pair<std::string, std::size_t> entity_at(std::string_view text);

struct Tag {
  std::string name;  // in lower case; "/td" ends one
  std::string_view attributes;
  std::size_t length = 0;
};

// The tag at the begin of `text`; absent where a sign "<" is no tag. Ends at the next < or >, so
// that every byte is looked at once.
std::optional<Tag> tag_at(std::string_view text);

// The number of "rowspan" or "colspan", from 1 to 5,000; 1 where it is not there.
std::size_t span_of(std::string_view attributes, std::string_view name);

}  // namespace scalemark::lint
