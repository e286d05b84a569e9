// Texts that every room makes: lists, counts and command lines, put together and taken apart,
// with the numbers of number_words.h in them. Knows nothing of the texts' subjects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number_words.h"

namespace scalemark {

// The `texts` in their order, with `separator` between them.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

// Whether one of the words stands in `text`.
template <class Words = std::initializer_list<std::string_view>>
bool has_any(std::string_view text, const Words& words) {
  for (const std::string_view word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// The pieces of `text` between separators, empty ones too: "a,,b" has three, "" has one. They are
// views of `text`.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

// Likewise its lines, where the last one's end begins no further line: "" has none.
std::vector<std::string_view> lines_of(std::string_view text);

// "1 run", "3 runs", "0 passes": nouns that take more than an "s" give their plural.
inline std::string counted(std::int64_t n, std::string_view noun, std::string_view plural = "") {
  std::string text = std::to_string(n) + " ";
  text += n == 1 || plural.empty() ? noun : plural;
  return text += n == 1 || !plural.empty() ? "" : "s";
}

// "a, b, c, d, e and 3 more".
template <class Texts>
std::string listed(const Texts& texts, std::size_t most = 5) {
  std::string all;
  std::size_t count = 0;
  for (const auto& text : texts) {
    if (++count <= most) all += (count > 1 ? ", " : "") + std::string(text);
  }
  if (count > most) all += " and " + std::to_string(count - most) + " more";
  return all;
}

// "JPEG image (2), SQLite database (1)", by a map of counts.
template <class Counts>
std::string listed_counts(const Counts& counts) {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts) {
    texts.push_back(what + " (" + std::to_string(count) + ")");
  }
  return listed(texts);
}

inline constexpr auto kNextNumber = [](auto earlier, auto later) { return later == earlier + 1; };

// The pieces of `items`, in their order, in which each one `follows(earlier, later)` the one before
// it. They are views of `items`.
template <class Items, class Follows>
auto runs_of(const Items& items, Follows follows) {
  std::vector<std::ranges::subrange<typename Items::const_iterator>> runs;
  for (auto first = items.begin(); first != items.end(); first = runs.back().end()) {
    const auto last = std::adjacent_find(first, items.end(), std::not_fn(follows));
    runs.emplace_back(first, last == items.end() ? last : std::next(last));
  }
  return runs;
}

// "0-3,8": whole numbers in ascending order, with neighbours as a range. `text_of` writes one.
template <class Numbers, class Write>
std::string number_ranges(const Numbers& numbers, Write text_of) {
  std::string all;
  for (const auto& run : runs_of(numbers, kNextNumber)) {
    all += (all.empty() ? "" : ",") + text_of(run.front());
    if (run.front() != run.back()) all += "-" + text_of(run.back());
  }
  return all;
}
inline std::string number_ranges(const std::vector<int>& numbers) {
  return number_ranges(numbers, [](int number) { return std::to_string(number); });
}

// Whether an interval of a rate or ratio says anything: its ends differ by a factor of 4 at most.
inline bool is_known(double low, double high) { return low > 0 && high <= 4 * low; }

// Tables show this for an interval that says nothing: "not known (2 runs)".
inline std::string not_known(std::int64_t n, std::string_view noun) {
  return "not known (" + counted(n, noun) + ")";
}

// Writes a label of a sample as Prometheus reads it: NAME="VALUE".
std::string prometheus_label(std::string_view name, std::string_view value);

// A command line of shell words without the first `option` ("--output") and, where it has one, its
// value.
std::string without_option(std::string command, const std::string& option, bool has_value);

// The value of the first `option` in such a line, as the shell would read it. Absent where the line
// does not have it.
std::optional<std::string> option_value(const std::string& command, const std::string& option);

// `word` as a shell reads it back: in quotes where it holds more than letters, digits and
// @%+=:,./_-
std::string shell_word(const std::string& word);

// Words as a shell splits them: quotes and backslashes are undone, nothing is expanded but what
// shell_word() writes for bytes and control characters. Empty for a quote without its end.
std::vector<std::string> shell_words(const std::string& line);

// The words as one line that a shell reads back: each by shell_word(), with a blank between.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace scalemark
