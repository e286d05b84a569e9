// A command line taken apart, and put together again. Pure.
#pragma once

#include <string>
#include <vector>

namespace scalemark {

// Words as a shell splits them: quotes and backslashes are undone, nothing is expanded but what
// shell_word() (text.h) writes for bytes and control characters. Empty for a quote without its end.
std::vector<std::string> shell_words(const std::string& line);

// The words as one line that a shell reads back: each by shell_word(), with a blank between.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace scalemark
