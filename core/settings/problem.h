// Problems of given settings are data: all are collected, then reported at once, with the known
// word that was probably meant. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/settings/option.h"

namespace scalemark::settings {

struct Problem {
  std::string option;     // "batch_size", or "" when it is about no single option
  std::string found;      // "-1"
  std::string allowed;    // "a whole number from 1 on"; or the reason of the refusal
  std::string origin;     // "option" | "config FILE" | "environment" | "set" | "default" | "recipe"
  std::string hint;       // "did you mean ..."; may be empty
  bool of_point = false;  // it depends on other values, too: a sweep skips the point and continues
};

struct Remarks {
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // nothing is wrong, but a person may want to know
  void add(Remarks more);
};

// `--batch-size is '-1' (from option); allowed: a whole number from 1 on.`
std::string to_line(const Problem& problem);

// The one error that ends the program when there are problems (78): a single problem in full, or
// how many there are and of which options.
Error refusal(const std::vector<Problem>& problems);

// Throws refusal() when there are problems.
void refuse_if_invalid(const std::vector<Problem>& problems);

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
// string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, '-' and '_', capitals and small letters alike; absent when none
// is near (more than a third of the longer word differs, at least 1 and at most 4 edits), unless
// one contains the other.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// "did you mean 'x'?" with `prefix` before x, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix = {});

// Names what replaces an option that an earlier version had under this name ('-' and '_' alike);
// absent for any other name.
std::optional<std::string> replacement_hint(std::string_view name, Command command);

// The replacement of a former option, else "did you mean 'x'?" over `command`'s options, else
// nothing. For keys of files and variables: names with underscores.
std::string unknown_option_hint(std::string_view name, Command command);

}  // namespace scalemark::settings
