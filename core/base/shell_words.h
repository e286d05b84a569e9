// A command line taken apart, and put together again: how a word is quoted, and read back. Pure.
#pragma once

#include <string>
#include <vector>

namespace scalemark {

// `word` as a shell reads it back: in quotes where it holds more than letters, digits and
// @%+=:,./_-
std::string shell_word(const std::string& word);

// Words as a shell splits them: quotes and backslashes are undone, nothing is expanded but what
// shell_word() writes for bytes and control characters. Empty for a quote without its end.
std::vector<std::string> shell_words(const std::string& line);

// The words as one line that a shell reads back: each by shell_word(), with a blank between.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace scalemark
