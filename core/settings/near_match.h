// Which known word somebody probably meant. Pure; knows no options.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalemark::settings {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
// string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, '-' and '_' alike; absent when none is near (more than a third
// of the longer word differs, at least 1 and at most 4 edits), unless one contains the other.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// "did you mean 'x'?" with `prefix` before x, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix = {});

}  // namespace scalemark::settings
