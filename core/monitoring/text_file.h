// Reads small text files whole, such as those of /proc and /sys, and lists their folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number_words.h"

namespace scalemark::monitoring {

// Empty when the file is absent or cannot be read: on another kernel that is normal.
std::optional<std::string> read_text(const std::filesystem::path& file);

// The first line, without the end of line and surrounding blanks.
std::optional<std::string> read_line(const std::filesystem::path& file);

// Follows `key` in the first line of `text` that begins with it, without blanks before and behind.
// Absent: no line does.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key);

// The number that the file begins with.
template <class Number>
std::optional<Number> number_in(const std::filesystem::path& file) {
  return leading_number<Number>(read_line(file).value_or(""));
}

// Lists the folder's entries, sorted; empty when it is absent or cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

}  // namespace scalemark::monitoring
