// Numbers as the text of a prediction shows them. Pure.
#pragma once

#include <string>

namespace scalemark::cli {

// printf into a string, for its columns and rounding; at most 511 characters.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

// 12345.6 -> "12,346"; below 100 two decimals.
std::string rate(double value);

}  // namespace scalemark::cli
